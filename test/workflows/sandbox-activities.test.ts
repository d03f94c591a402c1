/** Tasks prove themselves before a run begins: sound ones with numbers; broken ones are refused, by name and for good. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ApplicationFailure, CancelledFailure, noopMetricMeter } from '@temporalio/common';
import { createSandboxActivities } from '../../activities/create-sandbox.ts';
import { openRunMetrics } from '../../activities/run-metrics.ts';
import type { RunRef } from '../../activities/run-ref.ts';
import { openEmbeddedPool } from '../../agent/embedded-pool.ts';
import { canonicalText } from '../../contracts/canonical-text.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import { Failure } from '../../contracts/failures.ts';
import type { TerminalPool } from '../../contracts/sandbox.ts';
import { openBlobFolder } from '../../lineage/blobs/blob-folder.ts';
import { familyNamed } from '../../tasks/builtin/families.ts';
import { tinyConfig } from '../training/tiny-run.ts';
import { activityContext } from './activity-context.ts';

const blobs = mkdtempSync(join(tmpdir(), 'sandbox-activities-'));
after(() => rmSync(blobs, { recursive: true, force: true }));
const metrics = openRunMetrics(noopMetricMeter);
/** Turns enough for two sub-goals of any kind. */
const CONFIG = tinyConfig({ tasks: { turns: 5 } });
/** Terminals in this thread: no second to start one. */
const openPool = (): TerminalPool => openEmbeddedPool({ workers: 0 });

async function runOf(config: RunConfig): Promise<RunRef> {
  const configDigest = await openBlobFolder(blobs).put(new TextEncoder().encode(canonicalText(config)));
  return { id: 1, ordinal: 1, workflowId: 'w', firstExecutionRunId: 'f', configDigest, seed: config.seed };
}

test('the families of a run and its composition: a row for each split, the oracle at 1', async () => {
  const { validateTasks } = createSandboxActivities({ blobs, openPool }, metrics);
  const run = await runOf(CONFIG);
  const context = activityContext();
  const { families } = await context.run(() => validateTasks(run, null));
  assert.deepEqual(
    families.map(({ family, split }) => `${family} ${split}`),
    ['tidy train', 'tidy selection', 'tidy held-out', 'migrate held-out'],
  );
  for (const { tasks, oracleStrict, sloppyStrict, sloppyProgress } of families) {
    assert.ok(tasks >= 8 && oracleStrict === 1 && sloppyStrict < 1 && sloppyProgress > 0);
  }
  assert.deepEqual(context.beats[0], null);
  const named = await activityContext().run(() => validateTasks(run, ['notes']));
  assert.deepEqual([...new Set(named.families.map(({ family }) => family))], ['notes']);
  assert.deepEqual(await activityContext().run(() => validateTasks(run, ['notes'])), named);
});

test('a limit that leaves tasks without a solution, and a broken family, fail for good and name the task', async () => {
  const { validateTasks } = createSandboxActivities({ blobs, openPool }, metrics);
  const tight = await runOf(tinyConfig({ tasks: { turns: 1 } }));
  await refuses(
    () => validateTasks(tight, null),
    { type: 'TaskDefinitionInvalid', nonRetryable: true },
    /^family tidy, train task ".+": the oracle does not solve it/,
  );
  const run = await runOf(CONFIG);
  const nonsense = createSandboxActivities(
    {
      blobs,
      openPool,
      family: (name) => ({ ...familyNamed(name), compose: (count) => Array<string>(count).fill('polish') }),
    },
    metrics,
  );
  await refuses(
    () => nonsense.validateTasks(run, ['tidy']),
    { type: 'TaskDefinitionInvalid', nonRetryable: true },
    /^no sub-goal kind "polish": known are/,
  );
  await refuses(
    () => validateTasks(run, ['tidi']),
    { type: 'InvalidRunConfig', nonRetryable: true },
    /'tidi' is unknown/,
  );
});

test('a machine problem is worth another attempt, a cancelled check is none at all', async () => {
  const run = await runOf(CONFIG);
  const failing = (): TerminalPool => ({
    ...openPool(),
    play: () => Promise.reject(new Failure('sandbox', 'its worker died: out of memory', { retryable: false })),
  });
  const { validateTasks } = createSandboxActivities({ blobs, openPool: failing }, metrics);
  await refuses(
    () => validateTasks(run, null),
    { type: 'SandboxUnavailable', nonRetryable: false },
    /^its worker died: out of memory$/,
  );

  const threaded = createSandboxActivities({ blobs }, metrics);
  const context = activityContext();
  const work = context.run(() => threaded.validateTasks(run, null));
  const reason = new CancelledFailure('stop');
  setTimeout(() => context.cancel(reason), 100);
  await assert.rejects(work, reason);
});

async function refuses(
  work: () => Promise<unknown>,
  { type, nonRetryable }: { readonly type: string; readonly nonRetryable: boolean },
  message: RegExp,
): Promise<void> {
  const error = await activityContext()
    .run(work)
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ApplicationFailure, String(error));
  assert.deepEqual([error.type, error.nonRetryable], [type, nonRetryable]);
  assert.match(error.message, message);
  assert.ok(!error.message.includes('\n'));
}
