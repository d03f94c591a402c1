/** The way for machines without Python: an archive over HTTP, here from a server on this machine. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ArchiveSource } from '../../infra/native/sources.ts';
import { makeSandbox, type Sandbox } from './fixtures.ts';

const ARCHIVE = '/libtensorflow.tar.gz';

/** Packs a tiny libtensorflow and serves it; every other path is 404. */
async function serveArchive(t: TestContext, sandbox: Sandbox): Promise<ArchiveSource> {
  const folder = join(sandbox.root, 'archive');
  await mkdir(join(folder, 'lib'), { recursive: true });
  await writeFile(join(folder, 'lib/libtensorflow.so.2'), 'library');
  await writeFile(join(folder, 'lib/libtensorflow_framework.so.2'), 'framework');
  execFileSync('tar', ['-czf', join(sandbox.root, 'a.tar.gz'), '-C', folder, 'lib']);
  const bytes = await readFile(join(sandbox.root, 'a.tar.gz'));
  const server = createServer((request, response) => {
    response.statusCode = request.url === ARCHIVE ? 200 : 404;
    response.end(request.url === ARCHIVE ? bytes : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return {
    kind: 'archive',
    id: 'tiny-archive-1.0',
    version: '1.0',
    variant: 'cpu',
    libraries: ['lib/libtensorflow.so.2', 'lib/libtensorflow_framework.so.2'],
    include: 'include',
    logSymbol: null,
    diskBytes: 1,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${ARCHIVE}`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

test('without pip the archive serves, and its digest counts', async (t) => {
  const sandbox = await makeSandbox(t);
  await sandbox.removeTool('pip');
  // tar and gzip are the machine's own; python3 is hidden by one without pip.
  await sandbox.tool('python3', 'process.exit(1)');
  for (const name of ['pip3', 'pip']) await sandbox.tool(name, 'process.exit(1)');
  const env = { ...sandbox.env, PATH: `${sandbox.env['PATH']}:/usr/bin:/bin` };
  const archive = await serveArchive(t, sandbox);
  const attempt = (change: Partial<ArchiveSource>) =>
    sandbox.provision({ env, sources: [sandbox.source, { ...archive, ...change }] });

  const cases: [Partial<ArchiveSource>, RegExp][] = [
    [{ sha256: '0'.repeat(64) }, /has no pip; instead: .*127\.0\.0\.1:\d+ does not have the pinned digest/],
    [{ url: archive.url.replace('.tar', '.zip') }, /answers 404/],
    [{ url: 'http://127.0.0.1:9/a.tar.gz' }, /127\.0\.0\.1:9 cannot be reached/],
  ];
  for (const [change, reason] of cases) {
    const failed = await attempt(change);
    assert.equal(failed.kind, 'unavailable');
    assert.match(failed.kind === 'unavailable' ? failed.reason : '', reason);
    // The better source's remedy is the one to follow.
    assert.match(failed.kind === 'unavailable' ? failed.remedy : '', /install pip/);
  }
  const built = await attempt({});
  assert.equal(built.kind === 'ready' && built.how, 'built', JSON.stringify(built));
});
