/**
 * kill -9 in mid stage: of the compute process, of the gpu worker, of the control worker, of the server with everything. The run completes by itself,
 * with the content of an undisturbed one, and nothing is there twice.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openRunStore } from '../../activities/run-store.ts';
import type { GroupRef } from '../../contracts/checkpoint.ts';
import { digestOf } from '../../contracts/digest.ts';
import { tinyRun } from '../training/tiny-run.ts';
import {
  childrenOf,
  durableConfig,
  durableHome,
  openDurable,
  untilProgress,
  waitFor,
  type Durable,
} from '../workflows/durable.ts';

const CONFIG = durableConfig();
const home = durableHome();
let durable: Durable | null = null;
before(async () => {
  durable = await openDurable(home);
});
after(() => durable?.close());

test('kill -9 of compute process, gpu worker, control worker, server: same content, nothing twice', async (t) => {
  if (durable === null) return t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
  let on = durable;
  const handle = await on.launch('killed', CONFIG);
  const records = async (): Promise<number> =>
    (
      await on.row<{ n: number }>(
        'select count(*)::int as n from rsi.record r join rsi.run u on u.id = r.run_id where u.workflow_id = $1',
        ['killed'],
      )
    ).n;
  // In mid stage: once something of it is stored, and more is to come.
  const untilMore = async (count: number): Promise<void> => {
    const from = await records();
    await waitFor('more records', async () => ((await records()) >= from + count ? true : null));
  };

  await untilProgress(handle, ({ stage }) => stage === 'warm-start');
  await untilMore(2);
  const compute = await waitFor('a compute process', () => computeProcess(on));
  process.kill(compute, 'SIGKILL');
  const next = await waitFor('another compute process', async () => {
    const pid = await computeProcess(on);
    return pid === null || pid === compute ? null : pid;
  });

  await untilProgress(handle, ({ stage }) => stage === 's0-self-rewrite');
  await untilMore(1);
  const gpu = pidOf(on, 'gpu');
  process.kill(gpu, 'SIGKILL');
  await waitFor('the end of its orphan', async () => (isAlive(next) ? null : true));
  await waitFor('another gpu worker', async () => (pidOf(on, 'gpu') > 0 && pidOf(on, 'gpu') !== gpu ? true : null));

  await untilProgress(handle, ({ stage }) => stage === 's1-policy-refine');
  await untilMore(1);
  process.kill(pidOf(on, 'control'), 'SIGKILL');

  // The server alone comes back by itself, at its address.
  const server = on.serverPid();
  process.kill(server, 'SIGKILL');
  await waitFor('another server', async () => (on.serverPid() === server ? null : true));

  // The whole machine: the next start goes on.
  await untilProgress(handle, ({ stage, generation }) => stage === 'evaluate' && generation === 1);
  await on.halt();
  on = durable = (await openDurable(home)) as Durable;

  const [bare, result] = await Promise.all([tinyRun(CONFIG), (await on.launch('killed', CONFIG)).result()]);
  assert.equal(result.contentHead, bare.result.contentHead);
  assert.deepEqual(result.audit, { ok: true, firstBad: null });
  assert.equal(await records(), bare.records.length);

  const { first } = await on.row<{ first: string }>(
    'select first_execution_run_id as first from rsi.run where workflow_id = $1',
    ['killed'],
  );
  const run = { workflowId: 'killed', firstExecutionRunId: first, configDigest: digestOf(CONFIG), seed: CONFIG.seed };
  const store = await openRunStore({ databaseUrl: on.databaseUrl, blobs: on.blobs }, run);
  const groups = (await store.list()).filter(({ content }) => content.kind === 'group');
  await store.close();
  const episodes = groups.reduce((sum, { content }) => sum + (content as unknown as GroupRef).summary.episodes, 0);
  const { n } = await on.row<{ n: number }>(
    'select count(*)::int as n from rsi.trajectory t join rsi.episode_group g on g.record_id = t.group_id where g.run_id = $1',
    [result.runId],
  );
  assert.equal(n, episodes);
});

/** The gpu worker's child that computes (the loader of TypeScript may be another). */
async function computeProcess(on: Durable): Promise<number | null> {
  const gpu = pidOf(on, 'gpu');
  for (const pid of gpu > 0 ? await childrenOf(gpu).catch(() => []) : []) {
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('compute-child')) return pid;
  }
  return null;
}

function pidOf(on: Durable, name: string): number {
  return on.workers.workers.find((worker) => worker.name === name)?.pid() ?? 0;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
