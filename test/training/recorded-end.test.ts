/** Why a run ended, where a person ended or shortened it: recorded, once, and told by whoever reads the run later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retell } from '../../cli/retell.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import type { LoopContext } from '../../training/context.ts';
import { localRun } from '../../training/local-run.ts';
import { recordedEnd, recordEnd } from '../../training/recorded-end.ts';
import { resumeConfig } from './resume-config.ts';
import { tinyFolder, withTinyContext } from './tiny-run.ts';

const planned: RunConfig = { ...resumeConfig(), generations: 3 };
const folder = tinyFolder();

/** Of the three planned generations the first was run. */
async function inRun<T>(work: (context: LoopContext) => Promise<T>): Promise<T> {
  return withTinyContext(planned, { folder }, async (context) => {
    await localRun({ ...context, config: { ...planned, generations: 1 } });
    return work(context);
  });
}

test('what the story tells is not recorded: a plan that was run, prolonged, or a rule that fired', async () => {
  await inRun(async ({ store }) => {
    for (const end of [
      { reason: 'generations', measured: 3, limit: 3 },
      { reason: 'generations', measured: 5, limit: 5 },
      { reason: 'stage-kl', measured: 0.7, limit: 0.5 },
    ]) {
      await recordEnd(store, end, planned);
    }
    assert.equal(await recordedEnd(store), null);
  });
});

test('a run that was shortened has ended, and the first word counts', async () => {
  const end = { reason: 'generations', measured: 1, limit: 1 };
  await inRun(async (context) => {
    assert.deepEqual((await retell(context)).end, { reason: 'unfinished', measured: 1, limit: 3 });
    await recordEnd(context.store, end, planned);
    await recordEnd(context.store, { reason: 'stopped: late', measured: null, limit: null }, planned);
    const result = await retell(context);
    assert.deepEqual(result.end, end);
    assert.equal(result.generations.length, 1);
  });
});

test('a run that was stopped says what people said', async () => {
  const other = tinyFolder();
  const end = { reason: 'stopped: enough', measured: null, limit: null };
  await withTinyContext(planned, { folder: other }, async ({ store }) => {
    await recordEnd(store, end, planned);
    assert.deepEqual(await recordedEnd(store), end);
  });
});
