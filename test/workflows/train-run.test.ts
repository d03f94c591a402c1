/**
 * Durable runs on a real server: the same content as in one process whatever is paused and changed on the way, refusals
 * at once and in one line, and every message that people may send.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { nameOf } from '../../lineage/canonical.ts';
import { placeName, type StoredRecord } from '../../contracts/run-store.ts';
import { openRunStore } from '../../activities/run-store.ts';
import { digestOf } from '../../contracts/digest.ts';
import type { RunHandle } from '../../workers/launch-run.ts';
import { silentTracing } from '../../workers/tracing.ts';
import { tinyRun, type TinyRun } from '../training/tiny-run.ts';
import { commonErrors } from './common-errors.ts';
import { durableConfig, openDurable, untilProgress, type Durable } from './durable.ts';

let durable: Durable | null = null;
before(async () => {
  durable = await openDurable();
});
after(() => durable?.close());

/** Runs where there is a server; says so where there is none. */
function durableTest(name: string, work: (durable: Durable) => Promise<void>): void {
  test(name, async (t) => {
    if (durable === null) t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
    else await work(durable);
  });
}

const contents = (records: readonly StoredRecord[]): string[] =>
  records.map(({ place, content }) => `${placeName(place)} ${nameOf(content)}`).sort();

durableTest(
  'the durable run ends like the bare one of its seed, paused, resumed and prolonged on the way',
  async (on) => {
    const config = durableConfig({ generations: 1 });
    const handle = await on.launch('equal', config);
    await untilProgress(handle, ({ stage }) => stage === 'warm-start');
    assert.deepEqual(await handle.executeUpdate('setBudget', { args: [{ generations: 2 }] }), { generations: 2 });

    // A pause is felt within the stage, and what was finished stays.
    await untilProgress(handle, ({ stage }) => stage === 's0-self-rewrite');
    assert.equal(await handle.executeUpdate('pause', { args: [{ reason: 'lunch' }] }), 'paused: lunch');
    const paused = await untilProgress(handle, ({ status }) => status === 'paused');
    assert.equal(paused.pausedBecause, 'lunch');
    await untilIdle(on, handle.workflowId);
    await refused(handle, 'pause', [], /paused already/);
    await handle.executeUpdate('resume');
    await untilProgress(handle, ({ status }) => status === 'running');
    await refused(handle, 'resume', [], /not paused/);

    // In the next execution of the workflow, messages arrive as before.
    await untilProgress(handle, ({ generation }) => generation === 2);
    const [bare, result] = await Promise.all([tinyRun({ ...config, generations: 2 }), handle.result()]);
    assert.equal(result.contentHead, bare.result.contentHead);
    assert.deepEqual(result.end, { reason: 'generations', measured: 2, limit: 2 });
    assert.deepEqual(result.audit, { ok: true, firstBad: null });
    assert.equal(result.promotedGeneration, bare.result.promotedGeneration);
    await sameRecords(on, handle.workflowId, config, bare);

    const ended = await handle.query<{ status: string; rows: { generation: number }[] }>('progress');
    assert.equal(ended.status, 'finished');
    assert.deepEqual(ended.rows.map(({ generation }) => generation), [0, 1, 2]); // prettier-ignore
  },
);

/** Checkpoints, groups, decisions: each record's content, place by place. */
async function sameRecords(on: Durable, workflowId: string, config: object, bare: TinyRun): Promise<void> {
  const { first } = await on.row<{ first: string }>(
    'select first_execution_run_id as first from rsi.run where workflow_id = $1',
    [workflowId],
  );
  const run = { workflowId, firstExecutionRunId: first, configDigest: digestOf(config), seed: bare.result.config.seed };
  const store = await openRunStore({ databaseUrl: on.databaseUrl, blobs: on.blobs }, run);
  try {
    assert.deepEqual(contents(await store.list()), contents(bare.records));
  } finally {
    await store.close();
  }
}

/** Nobody computes for the run any more. */
async function untilIdle(on: Durable, workflowId: string): Promise<void> {
  for (let quiet = 0; quiet < 3;) {
    const stage = await on.client.workflow.getHandle(`${workflowId}/g1/s0-self-rewrite`).describe();
    quiet = (stage.raw.pendingActivities ?? []).length === 0 ? quiet + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

durableTest('the Web UI finds none of its common errors in a run, and histories stay short', async (on) => {
  const found = new Map<string, string[]>();
  let chapters = 0;
  for await (const seen of on.client.workflow.list({ query: `WorkflowId STARTS_WITH 'equal'` })) {
    const handle = on.client.workflow.getHandle(seen.workflowId, seen.runId);
    const errors = commonErrors(seen, await handle.fetchHistory());
    // A generation of this size is over in seconds, and its chapter of the run with it.
    const others = errors.filter((error) => !/^[79] /.test(error));
    if (others.length > 0) found.set(seen.workflowId, others);
    assert.ok(seen.historyLength < 300, `${seen.workflowId}: ${seen.historyLength} events`);
    chapters += Number(seen.status.name === 'CONTINUED_AS_NEW');
  }
  assert.deepEqual([...found], []);
  assert.ok(chapters >= 1, 'the run was not continued as new');
});

durableTest('histories replay against the workflow code as it is', async (on) => {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  const histories = on.client.workflow.list({ query: `WorkflowId STARTS_WITH 'equal'` }).intoHistories();
  let replayed = 0;
  const options = { workflowsPath, plugins: [silentTracing()] };
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
    assert.equal(error, undefined, `${workflowId}: ${error?.message}`);
    replayed += 1;
  }
  assert.ok(replayed >= 10, `only ${replayed}`);
});

durableTest('a stopped run ends cleanly with what it has; messages are checked', async (on) => {
  const handle = await on.launch('stopped', durableConfig());
  await untilProgress(handle, ({ stage }) => stage === 'warm-start');
  await refused(handle, 'setBudget', [{ generation: 3 }], /key 'generation' is unknown; known: generations, minutes/);
  await refused(handle, 'setBudget', [{ generations: 0 }], /'generations' is 0; allowed: a whole number >= 1/);
  await refused(handle, 'setBudget', [{ minutes: '5' }], /'minutes' is "5"; allowed: a number > 0, or null/);
  await refused(handle, 'setBudget', [], /needs an object/);
  await refused(handle, 'pause', [{ why: 'x' }], /key 'why' is unknown; known: reason/);
  assert.equal(await handle.executeUpdate('stop', { args: [{ reason: 'enough' }] }), 'stopping: enough');
  const result = await handle.result();
  assert.deepEqual(result.end, { reason: 'stopped: enough', measured: null, limit: null });
  assert.deepEqual(result.audit, { ok: true, firstBad: null });
  const told = await on.row<{ end: unknown }>(
    `select body::jsonb -> 'content' -> 'end' as end from rsi.record where run_id = $1 and step = 'run-end'`,
    [result.runId],
  );
  assert.deepEqual(told.end, result.end);

  // The same id once more is a run of its own.
  const again = await on.launch('stopped', durableConfig());
  const { ordinal } = await untilProgress(again, ({ runId }) => runId !== null);
  assert.equal(ordinal, 2);
  const attached = await on.launch('stopped', { seed: 5 });
  assert.equal((await attached.describe()).runId, (await again.describe()).runId);
  await again.executeUpdate('stop');
  assert.deepEqual((await again.result()).end.reason, 'stopped: on request');
});

durableTest('a run that is paused and stopped before it is claimed still comes to its end', async (on) => {
  const handle = await on.launch('early', durableConfig());
  await handle.executeUpdate('pause');
  await refused(handle, 'stop', [{ reason: 'x'.repeat(1001) }], /'reason' has 1001 characters; allowed: 1000/);
  await handle.executeUpdate('stop');
  const { end, audit } = await handle.result();
  assert.deepEqual([end.reason, audit.ok], ['stopped: on request', true]);
});

durableTest('a wrong configuration fails the run at once, in one line', async (on) => {
  const cases: [unknown, RegExp][] = [
    [{ generatoins: 3 }, /^configuration key 'generatoins' \(given 3\) is unknown; did you mean 'generations'\?/],
    [{ preset: 'smok' }, /^preset 'smok' is unknown; did you mean 'smoke'\?/],
    [{ preset: 7 }, /^configuration key 'preset' is 7; allowed: a text/],
    [[1], /^the configuration is \[1\]; allowed: an object/],
    ['smoke', /^the configuration is "smoke"; allowed: an object/],
    [{ tasks: { families: ['notez'] } }, /'notez' is unknown; did you mean 'notes'\?/],
    [{ rollout: { batch: 12 } }, /^configuration key 'rollout.batch' is 12; allowed: a multiple of 8/],
  ];
  for (const [i, [input, message]] of cases.entries()) {
    const handle = await on.launch(`wrong-${i}`, input);
    const failure = await thrownBy(handle.result());
    assert.ok(failure instanceof WorkflowFailedError);
    const { cause } = failure as { cause?: { message: string; type?: string; nonRetryable?: boolean } };
    assert.match(cause?.message ?? '', message);
    assert.ok(!cause?.message.includes('\n'));
    assert.equal(cause?.type, 'InvalidRunConfig');
    assert.equal(cause?.nonRetryable, true);
  }
});

async function refused(handle: RunHandle, update: string, args: [] | [unknown], message: RegExp): Promise<void> {
  const error = await thrownBy(handle.executeUpdate(update, { args: args as [] }));
  assert.match((error as { cause?: Error }).cause?.message ?? '', message);
}

function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
}
