/**
 * The update `addTasks` on a real run: refusals at once and in one line, a family that joins with the next generation
 * across continue-as-new, measured before and after, never learned from where it is measured, and told again from storage.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { openRunStore } from '../../activities/run-store.ts';
import { retell } from '../../cli/retell.ts';
import { digestOf } from '../../contracts/digest.ts';
import { placeName } from '../../contracts/run-store.ts';
import { copyRun } from '../../lineage/copy-run.ts';
import { openFolderStore } from '../../lineage/folder-store.ts';
import { leaks } from '../../lineage/postgres/checkpoint-queries.ts';
import { openPool } from '../../lineage/postgres/connection.ts';
import type { RunHandle } from '../../workers/launch-run.ts';
import type { RunProgress } from '../../workflows/run-progress.ts';
import { tinyFolder, withTinyContext } from '../training/tiny-run.ts';
import { commonErrors } from './common-errors.ts';
import { durableConfig, openDurable, untilProgress, type Durable } from './durable.ts';

const config = durableConfig({
  generations: 2,
  tasks: { families: ['notes', 'config'], turns: 5, context: 160, heldOut: 8 },
});

/** Seconds that a generation may take on a machine that others use too. */
const PATIENCE = 300;

let durable: Durable | null = null;
before(async () => {
  durable = await openDurable();
});
after(() => durable?.close());

function durableTest(name: string, work: (durable: Durable) => Promise<void>): void {
  test(name, async (t) => {
    if (durable === null) t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
    else await work(durable);
  });
}

durableTest('a family joins with the next generation; what cannot join is refused in one line', async (on) => {
  const handle = await on.launch('grown', config);
  await untilProgress(handle, ({ runId }) => runId !== null);
  for (const [request, message] of [
    [undefined, /^addTasks needs an object with key families/],
    ['tidy', /^addTasks: "tidy" is not an object with keys among families$/],
    [{ family: 'tidy' }, /^addTasks: key 'family' is unknown; known: families$/],
    [{}, /^addTasks: 'families' is not given; allowed: a list of at least one name/],
    [{ families: [] }, /^addTasks: 'families' is \[\]; allowed: a list of at least one name/],
    [{ families: ['tidy', 7] }, /^addTasks: 'families' is \["tidy",7\]; allowed: a list of at least one name/],
    [{ families: ['tydi'] }, /^addTasks: family 'tydi' is unknown; did you mean 'tidy'\? known: tidy, audit/],
    [{ families: ['notes'] }, /^addTasks: family 'notes' is trained on already; to be added: tidy, audit/],
    [{ families: ['migrate'] }, /^addTasks: family 'migrate' is what the run never trains on; to be added: tidy/],
  ] as const) {
    await refused(handle, request, message);
  }

  await untilProgress(handle, ({ generation }) => generation === 1, PATIENCE);
  assert.deepEqual(await addTasks(handle, { families: ['tidy'] }), { families: ['tidy'], from: 'generation 2' });
  const { added } = await handle.query<RunProgress>('progress');
  assert.deepEqual(added, { pending: ['tidy'], joined: [] });
  await refused(handle, { families: ['tidy'] }, /^addTasks: family 'tidy' was added already, from generation 2 on$/);

  const later = await untilProgress(handle, ({ rows }) => rows.some(({ generation, candidates }) => generation === 2 && candidates > 0), PATIENCE); // prettier-ignore
  const [joined] = later.added.joined;
  assert.deepEqual([later.added.pending, joined?.family, joined?.generation], [[], 'tidy', 2]);
  assert.equal(joined?.atJoining?.n, 4);
  await refused(handle, { families: ['audit'] }, /^addTasks: no generation comes after 2, the last planned; setBudget \{"generations": 3\} plans another$/); // prettier-ignore

  const result = await handle.result();
  assert.deepEqual(result.end, { reason: 'generations', measured: 2, limit: 2 });
  assert.deepEqual(result.audit, { ok: true, firstBad: null });
});

durableTest('from its generation on it is trained on, on train tasks alone', async (on) => {
  const { id } = await on.row<{ id: number }>(`select id::int as id from rsi.run where workflow_id = 'grown'`, []);
  const { record } = await on.row<{ record: string }>(
    `select rsi.place_name(r) || ' ' || (r.body::json -> 'content' -> 'families')::text as record
     from rsi.record r where run_id = $1 and kind = 'added-tasks'`,
    [id],
  );
  assert.equal(record, 'g002/s00/added-tasks/000-000 ["tidy"]');
  const pool = openPool(on.databaseUrl, { max: 1 });
  try {
    const { rows } = await pool.query<{ generation: number; split: string; learned: boolean }>(
      `select r.generation, k.split, exists (select from rsi.lesson l where l.trajectory_id = t.id) as learned
       from rsi.trajectory t join rsi.task k on k.id = t.task_id join rsi.record r on r.id = t.group_id
       where r.run_id = $1 and k.family = 'tidy' group by 1, 2, 3 order by 1, 2, 3`,
      [id],
    );
    assert.ok(rows.length > 0 && rows.every(({ generation }) => generation === 2));
    assert.ok(rows.some(({ split, learned }) => split === 'train' && learned));
    assert.ok(rows.some(({ split }) => split === 'held-out'));
    assert.ok(!rows.some(({ split, learned }) => split !== 'train' && learned));
    assert.deepEqual(await leaks(pool, id), []);
    const outcomes = await pool.query<{ place: string; n: number }>(
      `select rsi.place_name(r) as place, count(*)::int as n from rsi.evaluation_outcome o join rsi.record r on r.id = o.record_id
       where r.run_id = $1 and o.evaluation_set = 'added' group by r.id order by 1`,
      [id],
    );
    assert.deepEqual(outcomes.rows, [
      { place: 'g002/s00/outcomes-added/000-000', n: 4 },
      { place: 'g002/s03/outcomes-added/000-000', n: 4 },
    ]);
  } finally {
    await pool.end();
  }
});

durableTest('told again from what is stored, the result has it, and nothing new is stored', async (on) => {
  const { first } = await on.row<{ first: string }>(
    `select first_execution_run_id as first from rsi.run where workflow_id = 'grown'`,
    [],
  );
  const run = { workflowId: 'grown', firstExecutionRunId: first, configDigest: digestOf(config), seed: config.seed };
  const store = await openRunStore({ databaseUrl: on.databaseUrl, blobs: on.blobs }, run);
  const folder = tinyFolder();
  const copy = await openFolderStore(folder);
  await copyRun(store, copy);
  const head = await store.contentHead();
  await Promise.all([store.close(), copy.close()]);
  await withTinyContext(config, { folder }, async (context) => {
    const before = (await context.store.list()).map(({ place }) => placeName(place));
    const result = await retell(context);
    assert.equal(result.contentHead, head);
    assert.deepEqual(result.generations.map(({ admitted }) => admitted?.families), [undefined, ['tidy']]); // prettier-ignore
    const [, second] = result.generations;
    assert.deepEqual(
      second?.evaluation.added.map(({ taskId }) => taskId),
      second?.admitted?.outcomes.map(({ taskId }) => taskId),
    );
    assert.deepEqual((await context.store.list()).map(({ place }) => placeName(place)), before); // prettier-ignore
  });
});

durableTest('a run that is ending takes no more, and answers what it was asked before', async (on) => {
  const handle = await on.launch('ending', config);
  await untilProgress(handle, ({ stage }) => stage === 'warm-start');
  // A check is under way when the run is stopped: the one who asked hears of it.
  const asked = thrownBy(addTasks(handle, { families: ['tidy', 'audit', 'release', 'report'] }));
  await handle.executeUpdate('stop', { args: [{ reason: 'enough' }] });
  await refused(handle, { families: ['tidy'] }, /^the run has ended or is ending$/);
  assert.deepEqual((await handle.result()).end.reason, 'stopped: enough');
  assert.match(((await asked) as { cause?: Error }).cause?.message ?? '', /^the run has ended or is ending$/);
});

durableTest('the Web UI finds none of its common errors, and histories replay', async (on) => {
  const query = `WorkflowId STARTS_WITH 'grown' or WorkflowId STARTS_WITH 'ending'`;
  const found: string[] = [];
  for await (const seen of on.client.workflow.list({ query })) {
    const history = await on.client.workflow.getHandle(seen.workflowId, seen.runId).fetchHistory();
    // A generation of this size is over in seconds, and its chapter of the run with it.
    const errors = commonErrors(seen, history).filter((error) => !/^[79] /.test(error));
    found.push(...errors.map((error) => `${seen.workflowId}: ${error}`));
  }
  assert.deepEqual(found, []);
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  let replayed = 0;
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowsPath },
    on.client.workflow.list({ query }).intoHistories(),
  )) {
    assert.equal(error, undefined, `${workflowId}: ${error?.message}`);
    replayed += 1;
  }
  assert.ok(replayed >= 10, `only ${replayed}`);
});

function addTasks(handle: RunHandle, request: unknown): Promise<unknown> {
  return handle.executeUpdate('addTasks', { args: (request === undefined ? [] : [request]) as [] });
}

async function refused(handle: RunHandle, request: unknown, message: RegExp): Promise<void> {
  const { cause } = (await thrownBy(addTasks(handle, request))) as { cause?: Error };
  assert.match(cause?.message ?? '', message);
  assert.ok(!cause?.message.includes('\n'));
}

function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
}
