/** The small parts of provisioning: platforms, pins, zip, and the command line. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { platformOf } from '../../infra/native/platform.ts';
import { sourcesFor } from '../../infra/native/sources.ts';
import { extractZipEntry, listZip } from '../../infra/native/zip.ts';
import { makeSandbox, REPOSITORY, zip } from './fixtures.ts';

test('platforms: the supported ones are named, the others told why not', () => {
  assert.equal(platformOf({ os: 'linux', arch: 'x64', glibc: '2.36' }), 'linux-x64');
  assert.equal(platformOf({ os: 'linux', arch: 'arm64', glibc: '2.27' }), 'linux-arm64');
  assert.equal(platformOf({ os: 'darwin', arch: 'arm64', glibc: null }), 'darwin-arm64');
  assert.throws(() => platformOf({ os: 'darwin', arch: 'x64', glibc: null }), {
    message: /darwin-x64/,
    remedy: /wasm/,
  });
  assert.throws(() => platformOf({ os: 'win32', arch: 'x64', glibc: null }), { remedy: /WSL/ });
  assert.throws(() => platformOf({ os: 'linux', arch: 'x64', glibc: null }), { message: /another C library/ });
  assert.throws(() => platformOf({ os: 'linux', arch: 'x64', glibc: '2.17' }), { message: /this system has 2\.17/ });
});

test('every source is pinned by digest and has an id of its own', () => {
  const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64'] as const;
  const sources = platforms.flatMap((platform) => [...sourcesFor(platform, false), ...sourcesFor(platform, true)]);
  assert.equal(new Set(sources.map((source) => source.id)).size, sources.length);
  for (const source of sources)
    for (const { sha256 } of source.kind === 'wheels' ? source.wheels : [source])
      assert.match(sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(sourcesFor('linux-arm64', true), []);
  assert.equal(sourcesFor('linux-x64', true)[0]?.variant, 'cuda');
});

test('zip: stored, deflated and empty members come back; a path out of the folder is refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rsi-zip-'));
  t.after(() => rm(folder, { recursive: true }));
  const archive = join(folder, 'a.zip');
  const members = { 'a/stored.txt': 'short', 'a/deflated.txt': 'long '.repeat(5000), 'empty.txt': '' };
  await writeFile(archive, zip(members));
  for (const entry of await listZip(archive)) await extractZipEntry(archive, entry, join(folder, 'out'));
  for (const [name, text] of Object.entries(members))
    assert.equal(await readFile(join(folder, 'out', name), 'utf8'), text, name);
  assert.equal((await stat(join(folder, 'out/empty.txt'))).size, 0);

  await writeFile(archive, zip({ '../outside.txt': 'x' }));
  await assert.rejects(listZip(archive), /outside itself/);
  await writeFile(archive, 'this is no zip file at all');
  await assert.rejects(listZip(archive), /not a zip file/);
});

test('command line: exit codes and one clear line', async (t) => {
  const sandbox = await makeSandbox(t);
  const env = { ...sandbox.env, PATH: '/nowhere' };
  const wrong = [['--nonsense'], ['extra'], ['--timeout', 'soon']];
  const [failed, json, help, ...refused] = await Promise.all(
    [['--no-cuda'], ['--json', '--no-cuda'], ['--help'], ...wrong].map((args) => runCli(args, env)),
  );
  assert.equal(failed?.code, 1);
  // Whatever is linked in this checkout, an empty cache and an empty PATH end at the compiler.
  assert.match(failed.stdout, /^No native backend: no C\+\+ compiler .*\nWhat to do: .*\n$/);
  assert.equal(json?.code, 1);
  assert.equal((JSON.parse(json.stdout) as { kind: string }).kind, 'unavailable');
  assert.equal(help?.code, 0);
  assert.deepEqual(refused.map((result) => result.code), [2, 2, 2]); // prettier-ignore
});

function runCli(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', 'cli/native.ts', ...args],
      { cwd: REPOSITORY, env },
      (error, stdout) => resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    );
  });
}
