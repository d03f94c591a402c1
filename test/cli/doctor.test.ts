/** What `rsi doctor` says of services: reachable, not reachable, not needed; nothing is started for it. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SERVICE_CHECKS } from '../../cli/examine-services.ts';
import type { Finding } from '../../cli/finding.ts';
import { answersOn, isFree, pingDocker } from '../../cli/reach.ts';

const root = mkdtempSync(join(tmpdir(), 'rsi-doctor-'));
after(() => rmSync(root, { recursive: true, force: true }));

async function listening(server: Server, at: string | number): Promise<Server> {
  await new Promise<void>((resolve) => (typeof at === 'string' ? server.listen(at, resolve) : server.listen(at, '127.0.0.1', resolve))); // prettier-ignore
  after(() => server.close());
  return server;
}

/** In an environment where nothing is set but what is given. */
async function examined(name: string, env: Record<string, string>): Promise<Finding> {
  const before = { ...process.env };
  for (const key of ['TEMPORAL_ADDRESS', 'DATABASE_URL', 'DOCKER_HOST', 'RSI_HOME']) delete process.env[key];
  Object.assign(process.env, { RSI_HOME: join(root, 'home') }, env);
  try {
    const found = await SERVICE_CHECKS.find(([known]) => known === name)?.[1]();
    assert.ok(found !== undefined);
    return found;
  } finally {
    process.env = before;
  }
}

test('Docker: answers, is something else, is not there; never a failure', async () => {
  const docker = createServer((_, answer) => answer.setHeader('Api-Version', '1.47').end('OK'));
  const other = createServer((_, answer) => void answer.end('hello'));
  await Promise.all([listening(docker, join(root, 'docker.sock')), listening(other, join(root, 'other.sock'))]);
  assert.equal((await pingDocker(`unix://${root}/docker.sock`)).version, '1.47');
  assert.match((await pingDocker(`unix://${root}/other.sock`)).problem ?? '', /does not speak as Docker/);
  assert.equal((await pingDocker(`unix://${root}/none.sock`)).problem, 'not there');
  assert.match((await pingDocker('ssh://somewhere')).problem ?? '', /not looked at/);
  assert.equal((await examined('docker', { DOCKER_HOST: `unix://${root}/none.sock` })).state, 'note');
});

test('a port is free or taken; an address answers or not', async () => {
  const server = await listening(createServer(), 0);
  const { port } = server.address() as AddressInfo;
  assert.deepEqual([await isFree(port), await answersOn(`127.0.0.1:${port}`)], [false, true]);
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual([await isFree(port), await answersOn(`127.0.0.1:${port}`)], [true, false]);
});

test('a given database or server that is not there fails, without its password; a missing one of ours does not', async () => {
  const bad = await examined('postgres', { DATABASE_URL: 'postgresql://me:s3cret@127.0.0.1:1/rsi' });
  assert.deepEqual([bad.state, bad.remedy], ['fail', 'start it, or correct DATABASE_URL']);
  assert.match(bad.detail, /^127\.0\.0\.1:1\/rsi \(DATABASE_URL\): .*ECONNREFUSED/);
  assert.doesNotMatch(JSON.stringify(bad), /s3cret/);
  assert.equal((await examined('temporal', { TEMPORAL_ADDRESS: '127.0.0.1:1' })).state, 'fail');
  assert.equal((await examined('postgres', {})).state, 'ok');
  const empty = join(root, 'nothing');
  const bare = await examined('temporal', { PATH: empty, XDG_CACHE_HOME: empty });
  assert.deepEqual([bare.state, existsSync(empty)], ['warn', false]);
  assert.match(bare.detail, /downloads CLI .*; there is no Go/);
  assert.equal((await examined('browser', {})).state, 'ok');
});
