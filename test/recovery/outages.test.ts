/**
 * What goes away and comes back: the database, and a gpu worker that was frozen while another one took over. The run
 * completes by itself with the content of an undisturbed one, and what the frozen one still wants to write is refused.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { supervise } from '../../workers/supervisor.ts';
import { tinyRun, type TinyRun } from '../training/tiny-run.ts';
import {
  childrenOf,
  durableConfig,
  durableHome,
  openDurable,
  untilProgress,
  waitFor,
  type Durable,
} from '../workflows/durable.ts';

/** One stage in one generation: what is tried here is no matter of length. */
const CONFIG = durableConfig({ stages: ['policy-refine'] });
const home = durableHome();
const REFUSAL = /attempt \d+ of run \d+ is superseded by a later one; it may not write/;
let durable: Durable | null = null;
let bare: Promise<TinyRun> | null = null;
before(async () => {
  durable = await openDurable(home);
});
after(() => durable?.close());

test('the database is stopped in mid stage and started again: same content', async (t) => {
  if (durable === null) return t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
  const on = durable;
  const handle = await on.launch('outage', CONFIG);
  await untilProgress(handle, ({ stage }) => stage === 's0-policy-refine');
  await untilMore(on, 'outage', 1);
  await on.stopDatabase();

  // What the activity waits for stands where the UI shows it, with the address and without the password.
  const stage = on.client.workflow.getHandle('outage/g1/s0-policy-refine');
  const said = await waitFor('an attempt that says so', async () => {
    const { raw } = await stage.describe();
    const failure = raw.pendingActivities?.[0]?.lastFailure;
    return failure?.message?.includes('cannot be reached') === true ? failure : null;
  });
  const { hostname, port, password } = new URL(on.databaseUrl);
  assert.ok(said.message?.includes(`${hostname}:${port}`), said.message ?? '');
  assert.ok(!JSON.stringify(said).includes(password));
  assert.equal(said.applicationFailureInfo?.type, 'StorageUnavailable');

  await on.startDatabase();
  await sameContent(on, 'outage', await handle.result());
});

test('a frozen gpu worker is superseded; once it goes on, its writes are refused: same content, nothing twice', async (t) => {
  if (durable === null) return t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
  const on = durable;
  const handle = await on.launch('frozen', CONFIG);
  await untilProgress(handle, ({ stage }) => stage === 'warm-start');
  await untilMore(on, 'frozen', 2);
  const worker = on.workers.workers.find(({ name }) => name === 'gpu')?.pid() ?? 0;
  const compute = await computeOf(worker);
  const stopped = [worker, compute];
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');

  const other = supervise({
    ...{ name: 'other-gpu', heapMb: 256, log: () => undefined, logFile: join(home, 'logs', 'other-gpu.log') },
    module: fileURLToPath(new URL('../../workers/gpu.ts', import.meta.url)),
    env: () => ({ RSI_HOME: home, TEMPORAL_ADDRESS: on.address, DATABASE_URL: on.databaseUrl, RSI_METRICS: 'off' }),
  });
  try {
    await other.ready;
    // The heartbeat has to be missed, a compute process to start.
    await untilMore(on, 'frozen', 1, 120);
    const successor = await computeOf(other.pid() ?? 0);
    stopped.push(successor);
    process.kill(successor, 'SIGSTOP');
    // What the successor has stored is found by whoever comes late; the next piece would be a write of its own. Nobody
    // tells the process that it was given up, since the worker above it is still frozen.
    process.kill(compute, 'SIGCONT');
    await waitFor('the refusal', async () => (REFUSAL.test(logOf('gpu')) ? true : null), 240);
    for (const pid of [successor, worker]) process.kill(pid, 'SIGCONT');
    await sameContent(on, 'frozen', await handle.result());
  } finally {
    for (const pid of stopped) wake(pid);
    await other.stop();
  }
});

/** Equal heads, an audit that holds, and every record once. */
async function sameContent(
  on: Durable,
  workflowId: string,
  result: { contentHead: string; audit: { ok: boolean } },
): Promise<void> {
  const { records, result: undisturbed } = await (bare ??= tinyRun(CONFIG));
  assert.equal(result.contentHead, undisturbed.contentHead);
  assert.equal(result.audit.ok, true);
  assert.equal(await recordsOf(on, workflowId), records.length);
}

async function recordsOf(on: Durable, workflowId: string): Promise<number> {
  const { n } = await on.row<{ n: number }>(
    'select count(*)::int as n from rsi.record r join rsi.run u on u.id = r.run_id where u.workflow_id = $1',
    [workflowId],
  );
  return n;
}

async function untilMore(on: Durable, workflowId: string, count: number, seconds = 60): Promise<void> {
  const from = await recordsOf(on, workflowId);
  await waitFor('more records', async () => ((await recordsOf(on, workflowId)) >= from + count ? true : null), seconds);
}

/** The worker's child that computes (the loader of TypeScript may be another). */
async function computeOf(worker: number): Promise<number> {
  for (const pid of await childrenOf(worker)) {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('compute-child')) return pid;
  }
  throw new Error('the gpu worker has no compute process');
}

function logOf(name: string): string {
  const path = join(home, 'logs', `${name}.log`);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function wake(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}
