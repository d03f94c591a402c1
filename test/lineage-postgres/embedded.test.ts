/** The embedded server: quick to start again, closed to strangers, adopted after a kill, whole after a crash. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openPostgres, type OpenedPostgres } from '../../infra/postgres.ts';
import { Failure } from '../../contracts/failures.ts';
import { auditRun } from '../../lineage/audit/audit-run.ts';
import { openPostgresStore } from '../../lineage/postgres/store.ts';
import { aCheckpoint, aGroup, anEpisode, aTask, at, record } from './tiny-run.ts';

const home = await mkdtemp(join(tmpdir(), 'embedded-'));
// As a run's home is: a folder that the server's own user may enter.
await chmod(home, 0o755);
const lines: string[] = [];
const open = (): Promise<OpenedPostgres> => openPostgres({ home, log: (line) => lines.push(line) });

const first = await open().catch((error: unknown) => {
  console.log(`SKIPPED embedded.test.ts: ${error instanceof Error ? error.message : String(error)}`);
  return null;
});
const skip = first === null ? 'no PostgreSQL could be started' : false;
after(async () => {
  await (await open().catch(() => null))?.stop();
  await rm(home, { recursive: true });
});

const CHILD = fileURLToPath(new URL('open-child.ts', import.meta.url));
const dataPid = async (): Promise<number> =>
  Number((await readFile(join(home, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);

async function child(): Promise<{ process: ChildProcess; url: string; how: string }> {
  const started = spawn(process.execPath, ['--import', 'tsx', CHILD, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(started.stdout, 'data')) as [Buffer];
  return { process: started, ...(JSON.parse(said.toString()) as { url: string; how: string }) };
}

async function answers(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client
    .query<{ name: string }>('select current_database() as name')
    .finally(() => client.end());
  return rows[0]?.name ?? '';
}

test('a server that is kept is back at its address after a kill, and stays away after a stop', { skip }, async () => {
  await first?.stop();
  const kept = await openPostgres({ home, log: (line) => lines.push(line), keep: true });
  const before = await dataPid();
  process.kill(before, 'SIGKILL');
  const end = performance.now() + 30_000;
  while ((await answers(kept.url).catch(() => '')) !== 'rsi') {
    assert.ok(performance.now() < end, lines.slice(-3).join('; '));
    await sleep(100);
  }
  assert.notEqual(await dataPid(), before);
  await kept.stop();
  await sleep(1_500);
  await assert.rejects(answers(kept.url));
});

test('a second start takes less than a second and keeps the address', { skip }, async () => {
  await first?.stop();
  const started = performance.now();
  const again = await open();
  assert.ok(performance.now() - started < 1_000, `${performance.now() - started} ms`);
  assert.deepEqual([again.how, again.url], ['started', first?.url]);
  assert.equal(await answers(again.url), 'rsi');
  assert.ok(
    lines.every((line) => !line.includes(new URL(again.url).password)),
    'no password in what is logged',
  );
  await again.stop();
  await again.stop();
  await assert.rejects(answers(again.url));
});

test('only the right password opens it, and only its owner reads the password', { skip }, async () => {
  const opened = await open();
  const wrong = opened.url.replace(new URL(opened.url).password, 'guess');
  await assert.rejects(answers(wrong), /password authentication failed/);
  assert.equal((await stat(join(home, 'postgres/password'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(home, 'postgres/data'))).mode & 0o777, 0o700);
  await opened.stop();
});

test('a server that another live process opened is used and left running', { skip }, async () => {
  const other = await child();
  const mine = await open();
  assert.deepEqual([other.how, mine.how, mine.url], ['started', 'adopted', other.url]);
  await mine.stop();
  assert.equal(await answers(other.url), 'rsi');
  other.process.kill('SIGTERM');
  await once(other.process, 'exit');
  await assert.rejects(answers(other.url));
});

test('a server whose process was killed is adopted, and stopped by who adopted it', { skip }, async () => {
  const killed = await child();
  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');
  assert.equal(await answers(killed.url), 'rsi');
  const adopted = await open();
  assert.deepEqual([adopted.how, adopted.url], ['adopted', killed.url]);
  await adopted.stop();
  await assert.rejects(answers(killed.url));
});

test(
  'kill -9 of the server under writes: nothing acknowledged is lost, the chain is dense and holds',
  { skip },
  async () => {
    const opened = await open();
    const run = { workflowId: 'local', firstExecutionRunId: 'killed', configDigest: 'c'.repeat(64), seed: 1 };
    const blobs = join(home, 'blobs');
    const store = await openPostgresStore({ url: opened.url, blobs, run });
    const policy = await aCheckpoint(store, 'policy', 'start');
    await store.write(record(at(0, -1, 'start-model'), policy, [policy.digest]));
    const uses = [{ role: 'policy', digest: policy.digest }];
    const acknowledged: number[] = [];
    let failures = 0;
    let isOver = false;
    const write = async (lane: number): Promise<void> => {
      for (let i = lane; !isOver; i += 3) {
        const task = aTask(i % 7);
        const episode = anEpisode(task, policy, { seed: i });
        const once = async () => store.write(await aGroup(store, at(1, 0, 'rollout', i), [task], [episode], uses));
        for (;;) {
          const outcome = await once().catch((error: Failure) => error);
          if (!(outcome instanceof Failure)) break;
          assert.equal(outcome.retryable, true, outcome.message);
          failures += 1;
          await sleep(50);
        }
        acknowledged.push(i);
      }
    };
    const lanes = [0, 1, 2].map(write);
    const servers = [opened];
    for (let round = 0; round < 2; round += 1) {
      await sleep(700);
      process.kill(await dataPid(), 'SIGKILL');
      const again = await open();
      assert.deepEqual([again.how, again.url], ['started', opened.url]);
      servers.push(again);
    }
    await sleep(400);
    isOver = true;
    await Promise.all(lanes);
    assert.ok(failures > 0, 'the kill must have been felt');
    const places = new Set((await store.list()).map(({ place }) => `${place.step} ${place.iteration}`));
    for (const i of acknowledged) assert.ok(places.has(`rollout ${i}`), `write ${i} was acknowledged and is gone`);
    assert.equal(places.size, acknowledged.length + 1);
    const { events, head } = await store.eventHead();
    assert.equal(events, acknowledged.length + 2);
    const contentHead = await store.contentHead();
    const audit = await auditRun({ url: opened.url, blobs, runId: store.runId });
    assert.deepEqual(audit, { ok: true, events, head, contentHead, firstBad: null });
    await store.close();
    for (const server of servers) await server.stop();
  },
);

test('a backend in a long query does not keep a killed server from starting again', { skip }, async () => {
  const opened = await open();
  const client = new pg.Client({ connectionString: opened.url });
  client.on('error', () => undefined);
  await client.connect();
  const busy = client.query('select pg_sleep(60)').catch(() => undefined);
  await sleep(100);
  process.kill(await dataPid(), 'SIGKILL');
  const started = performance.now();
  const again = await open();
  assert.ok(performance.now() - started < 5_000);
  assert.equal(await answers(again.url), 'rsi');
  await busy;
  await client.end().catch(() => undefined);
  await again.stop();
});

test(
  "below a folder that the server's user may not enter, the data is kept elsewhere, and said so",
  { skip: skip || (process.getuid?.() === 0 ? false : 'not root: the server runs as ourselves') },
  async () => {
    const closed = await mkdtemp(join(tmpdir(), 'closed-'));
    const said: string[] = [];
    const opened = await openPostgres({ home: closed, log: (line) => said.push(line) });
    assert.equal((await lstat(join(closed, 'postgres'))).isSymbolicLink(), true);
    assert.equal(opened.folder, await realpath(join(closed, 'postgres')));
    assert.match(said.join('\n'), /The database is kept in \/var\/lib/);
    await opened.stop();
    await rm(opened.folder, { recursive: true });
    await rm(closed, { recursive: true });
  },
);

test('a given database that cannot be reached is said so, after waiting, without its password', { skip }, async () => {
  const given = (databaseUrl: string) => openPostgres({ databaseUrl, home, log: () => undefined, waitMs: 600 });
  await assert.rejects(given('postgresql://me:secret@127.0.0.1:1/db'), (error: Error) => {
    assert.match(
      error.message,
      /the database 127\.0\.0\.1:1\/db of DATABASE_URL cannot be reached after 1 s: .*ECONNREFUSED/,
    );
    assert.doesNotMatch(error.message, /secret/);
    return (error as Error & { boundary: string }).boundary === 'storage';
  });
  await assert.rejects(given('not an address'), { boundary: 'config', message: /DATABASE_URL is not an address/ });
  const opened = await open();
  const started = performance.now();
  await assert.rejects(given(opened.url.replace(/\/rsi$/, '/nothing')), {
    retryable: false,
    message: /"nothing" does not exist/,
  });
  assert.ok(performance.now() - started < 500, 'what waiting does not cure is told at once');
  const found = await given(opened.url);
  assert.equal(found.how, 'given');
  await found.stop();
  assert.equal(await answers(opened.url), 'rsi');
  await opened.stop();
});
