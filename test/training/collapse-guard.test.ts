/**
 * The collapse guard: a run made to blow up (no KL, a high learning rate) is ended by a rule that says why, and what it
 * leaves promoted is the last good state, by digest and by what it solves.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskOutcome } from '../../training/evaluate.ts';
import { endSentence } from '../../viewer/words.ts';
import { tinyConfig, tinyRun, warmFolder, type TinyRun } from './tiny-run.ts';

async function unguarded(actorLearningRate: number, stop: object = {}): Promise<TinyRun> {
  const config = tinyConfig({
    ...{ generations: 3, stages: ['policy-refine'], stop },
    policyRefine: { iterations: 6, klCoefficient: 0, entropyCoefficient: 0, actorLearningRate },
  });
  return tinyRun(config, { folder: await warmFolder() });
}

const strict = (outcomes: readonly TaskOutcome[]): number => outcomes.filter(({ state }) => state === 'strict').length;

test('a policy that is gone after one iteration: the stage ends with what it had before', async () => {
  const { result } = await unguarded(1);
  assert.equal(result.end.reason, 'stage-kl');
  assert.ok((result.end.measured ?? 0) > 1000 * (result.end.limit ?? Infinity), JSON.stringify(result.end));
  assert.match(endSentence(result.end), /^a stage drifted too far from its start \(KL\) \(\S+, limit 0\.500\)$/);
  assert.equal(result.generations.length, 1);
  const [generation] = result.generations;
  const [stage] = generation?.stages ?? [];
  assert.ok(generation && stage?.kind === 'policy-refine');
  assert.equal(stage.result.iterations.length, 1);
  assert.equal(stage.result.policy.digest, result.start.policy.digest);
  // Evaluated on the same tasks with the same seeds, the same weights solve the same.
  assert.deepEqual(generation.evaluation.outcomes, result.start.outcomes);
  assert.ok(strict(result.start.outcomes.selection) > 0);
});

test('a policy that decays iteration by iteration: stopped, found worse, rolled back', async () => {
  const { result } = await unguarded(0.01);
  assert.equal(result.end.reason, 'stage-kl');
  const [generation] = result.generations;
  const [stage] = generation?.stages ?? [];
  assert.ok(generation && stage?.kind === 'policy-refine' && result.generations.length === 1);
  assert.ok(stage.result.iterations.length > 1);
  assert.notEqual(stage.result.policy.digest, result.start.policy.digest);
  assert.equal(generation.promotion.promoted, false);
  assert.equal(result.promotedGeneration, 0);
  assert.ok(strict(generation.evaluation.outcomes.selection) < strict(result.start.outcomes.selection));
});

test('without the KL rule a blown-up policy is still not what the run leaves', async () => {
  const { result } = await unguarded(1, { maxKl: 1e12, patience: 2 });
  assert.equal(result.promotedGeneration, 0);
  assert.match(result.end.reason, /^(no-new-best|tokens-per-turn|turn-limit-share)$/);
  const last = result.generations.at(-1);
  assert.equal(last?.promotion.promoted, false);
  assert.equal(strict(last?.evaluation.outcomes.selection ?? []), 0);
});
