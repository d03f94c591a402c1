/** The recursion as a whole, at toy size: it ends, its seed decides it, its stages combine, its rules stop it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { CheckpointRef } from '../../contracts/checkpoint.ts';
import { digestOf } from '../../contracts/digest.ts';
import { placeName } from '../../contracts/run-store.ts';
import { tf } from '../../model/tf.ts';
import { addedUp } from '../../training/episode.ts';
import type { StageOutcome } from '../../training/run-result.ts';
import { groupsIn, recordsIn, type StoredGroup } from './stored-groups.ts';
import { copyOf, tinyConfig, tinyRun, warmFolder, type TinyRun } from './tiny-run.ts';

let finished: TinyRun;

before(async () => {
  finished = await tinyRun(tinyConfig(), { folder: await warmFolder() });
});

const isFinite = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value !== 'object' || value === null || Object.values(value).every(isFinite);

const kindsOf = (stages: readonly StageOutcome[]): string[] => stages.map(({ kind }) => kind);

test('a run goes through warm-up, rewriting, refining, evaluation and promotion, and learns from each', () => {
  const { result, records } = finished;
  assert.deepEqual(result.end, { reason: 'generations', measured: 1, limit: 1 });
  assert.equal(result.generations.length, 1);
  const [generation] = result.generations;
  assert.deepEqual(kindsOf(generation?.stages ?? []), ['self-rewrite', 'policy-refine']);
  for (const stage of generation?.stages ?? []) {
    if (stage.kind === 'self-rewrite') {
      assert.ok(stage.result.accepted.polish + stage.result.accepted.repair > 0, 'no rewrite was accepted');
      assert.equal(
        Object.values(stage.result.gates).reduce((sum, count) => sum + count, 0),
        stage.result.candidates,
      );
      assert.ok(stage.result.lessons > 0);
    } else {
      assert.equal(stage.result.iterations.length, 2);
      assert.ok(stage.result.iterations.every(({ policyLoss, gradientNorm }) => policyLoss !== null && (gradientNorm ?? 0) > 0)); // prettier-ignore
    }
  }
  assert.ok(isFinite(result));
  // Stored numbers must survive JSON: no NaN that turned into null where a number is meant.
  assert.deepEqual(JSON.parse(JSON.stringify(result)), { ...result });
  assert.equal(new Set(records.map(({ place }) => placeName(place))).size, records.length);
  assert.equal(tf.memory().numTensors, 0, 'tensors are left');
});

test('every stage leaves new weights, and every reference leads to a stored record', () => {
  const { result, records } = finished;
  const [rewrite, refine] = result.generations[0]?.stages ?? [];
  assert.ok(rewrite?.kind === 'self-rewrite' && refine?.kind === 'policy-refine');
  const digests = [
    result.start.policy,
    rewrite.result.policy,
    refine.result.policy,
    result.warmUp.critic,
    refine.handoff.critic,
    refine.result.critic,
  ].map(({ weightsDigest }) => weightsDigest);
  assert.equal(new Set(digests).size, digests.length);
  assert.equal(refine.handoff.parent?.digest, result.warmUp.critic.digest);
  const stored = new Set(records.flatMap(({ blobs }) => blobs));
  for (const { place, uses } of records) {
    for (const { role, digest } of uses) assert.ok(stored.has(digest), `${placeName(place)}: ${role} ${digest}`);
  }
});

test('every group tells how long it was played and how much of that in sandboxes, every record its storage', () => {
  const groups = finished.records.filter(({ content }) => content.kind === 'group');
  for (const step of new Set(groups.map(({ place }) => place.step))) {
    // Of two groups that are played at once in one process, the first to end is told the time of both.
    const played = addedUp(groups.flatMap((group) => (group.place.step === step && group.played) || []));
    assert.ok(played.seconds > 0 && played.sandbox > 0, `${step}: ${played.seconds} s, ${played.sandbox} s`);
  }
  for (const { place, content, played } of finished.records) {
    assert.equal(played !== undefined, content.kind === 'group', placeName(place));
  }
  // The warm start was made by a context of the same kind.
  const storage = finished.records.map((record) => record.storage ?? -1);
  assert.ok(storage.every((seconds) => seconds >= 0));
  const passed = Math.max(...finished.records.map(({ elapsed }) => elapsed));
  const waited = storage.reduce((sum, seconds) => sum + seconds, 0);
  assert.ok(waited > 0 && waited < passed, `${waited} of ${passed} s`);
});

test('told again, a finished run changes nothing and ends the same', async () => {
  const again = await tinyRun(tinyConfig(), { folder: copyOf(finished.folder) });
  assert.equal(again.records.length, finished.records.length);
  assert.deepEqual(again.result, finished.result);
});

test('the same seed ends with the same content head, whatever the number of sandbox threads; another seed does not', async () => {
  const config = tinyConfig({ rollout: { sandboxWorkers: 2 } });
  const same = await tinyRun(config, { folder: await warmFolder() });
  assert.equal(same.result.contentHead, finished.result.contentHead);
  const other = await tinyRun(tinyConfig({ seed: 1 }), { folder: await warmFolder() });
  assert.notEqual(other.result.contentHead, finished.result.contentHead);
});

test('splits: nothing of selection or held-out stands in any group that is learned from', () => {
  const groups = groupsIn(finished.folder);
  const isEvaluation = ({ place }: StoredGroup): boolean => place.step.startsWith('evaluate-');
  const steps = new Set(groups.filter((group) => !isEvaluation(group)).map(({ place }) => place.step));
  assert.deepEqual([...steps].sort(), ['demonstrations', 'drift-rollout', 'handoff-probe', 'handoff-rollout', 'probe', 'rewrite', 'rollout']); // prettier-ignore
  const seen: Record<string, Set<string>> = { train: new Set(), selection: new Set(), 'held-out': new Set() };
  for (const group of groups) {
    const allowed = isEvaluation(group) ? ['selection', 'held-out'] : ['train'];
    for (const task of group.tasks) {
      assert.ok(allowed.includes(task.split), `${placeName(group.place)}: task of ${task.split}`);
      // What makes two tasks the same is what the policy is told and finds, whatever their ids say.
      seen[task.split]?.add(digestOf([task.instruction, task.files]));
    }
    const tasks = new Map(group.tasks.map((task) => [task.id, task]));
    for (const trajectory of group.trajectories) {
      assert.equal(trajectory.split, tasks.get(trajectory.taskId)?.split);
      assert.equal(trajectory.purpose === 'evaluation', isEvaluation(group));
    }
  }
  for (const [a, b] of [['train', 'selection'], ['train', 'held-out'], ['selection', 'held-out']] as const) {
    const both = [...(seen[a] ?? [])].filter((digest) => seen[b]?.has(digest));
    assert.deepEqual(both, [], `${a} and ${b} share tasks`);
  } // prettier-ignore
  const evaluated = new Set(
    groups.filter(isEvaluation).flatMap(({ trajectories }) => trajectories.map(({ id }) => id)),
  );
  for (const { trajectories } of groups) {
    for (const { parentId } of trajectories) assert.ok(parentId === null || !evaluated.has(parentId));
  }
});

test('the handoff’s probe set is disjoint from what the critic is fitted on', () => {
  const groups = groupsIn(finished.folder);
  const idsOf = (step: string): string[] =>
    groups.filter(({ place }) => place.step === step).flatMap(({ tasks }) => tasks.map(({ id }) => id));
  const fitted = new Set(idsOf('handoff-rollout'));
  assert.equal(fitted.size, 16);
  assert.deepEqual(idsOf('handoff-probe').filter((id) => fitted.has(id)), []); // prettier-ignore
});

for (const stages of [
  ['policy-refine'],
  ['self-rewrite'],
  ['policy-refine', 'self-rewrite'],
  ['self-rewrite', 'self-rewrite'],
] as const) {
  test(`stages are a configuration: ${stages.join(', ')}`, async () => {
    const { result } = await tinyRun(tinyConfig({ stages: [...stages] }), { folder: await warmFolder() });
    assert.deepEqual(kindsOf(result.generations[0]?.stages ?? []), stages);
    assert.equal(result.end.reason, 'generations');
    const policies = result.generations[0]?.stages.map(({ result: { policy } }) => policy.weightsDigest) ?? [];
    assert.equal(new Set([result.start.policy.weightsDigest, ...policies]).size, stages.length + 1);
    assert.equal(result.generations[0]?.evaluation.policy.weightsDigest, policies.at(-1));
  });
}

test('a generation that got worse is rolled back whole: the next one starts from the state before it', async () => {
  // A learning rate that destroys the policy; the rules that would end the run over it are off.
  const config = tinyConfig({
    generations: 2,
    stages: ['policy-refine'],
    policyRefine: { iterations: 1, actorLearningRate: 0.3 },
    reward: { calibrate: true },
    stop: { maxKl: 1e9, turnLengthGrowth: 1e9, limitHitShare: 1, patience: 9 },
  });
  const { result, folder } = await tinyRun(config, { folder: await warmFolder() });
  assert.deepEqual(result.generations.map(({ promotion }) => promotion.promoted), [false, false]); // prettier-ignore
  assert.equal(result.promotedGeneration, 0);
  const [first, second] = result.generations.map(({ stages }) => stages[0]);
  assert.ok(first?.kind === 'policy-refine' && second?.kind === 'policy-refine');
  const same = (a: CheckpointRef | null, b: CheckpointRef): void => assert.equal(a?.digest, b.digest);
  same(first.handoff.parent, result.warmUp.critic);
  same(second.handoff.parent, result.warmUp.critic);
  assert.notEqual(first.result.policy.digest, result.start.policy.digest);
  const groups = groupsIn(folder);
  const played = (generation: number, step: string): StoredGroup[] =>
    groups.filter(({ place }) => place.generation === generation && place.step === step && place.iteration === 0);
  // Sampled by the start policy again, on new tasks: a new number means new seeds.
  for (const generation of [1, 2]) {
    for (const { trajectories } of [...played(generation, 'handoff-rollout'), ...played(generation, 'rollout')]) {
      assert.ok(trajectories.every(({ policy }) => policy === result.start.policy.weightsDigest));
    }
  }
  const tasksOf = (generation: number): Set<string> =>
    new Set(played(generation, 'rollout').flatMap(({ tasks }) => tasks.map(({ id }) => id)));
  const again = [...tasksOf(2)].filter((id) => tasksOf(1).has(id));
  assert.ok(again.length < tasksOf(1).size / 2, 'the same tasks again');
});

/** A finished run without its decision to go on, told again under other rules: all that was done is found. */
async function stoppedBy(rules: Parameters<typeof tinyConfig>[0]): Promise<TinyRun> {
  const folder = copyOf(finished.folder);
  const undecided = recordsIn(folder).filter(({ place }) => place.step !== 'stop-check' || place.generation === 0);
  assert.equal(undecided.length, finished.records.length - 1);
  writeFileSync(join(folder, 'log.jsonl'), undecided.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return tinyRun(tinyConfig({ generations: 5, ...rules }), { folder });
}

for (const [reason, rules] of [
  ['strict-target', { stop: { strictTarget: 0.01 } }],
  ['budget-seconds', { stop: { minutes: 1e-6 } }],
  ['budget-tokens', { stop: { tokens: 1 } }],
  ['budget-episodes', { stop: { episodes: 100 } }],
] as const) {
  test(`the rule ${reason} ends the run after the generation, and says so`, async () => {
    const { result, records } = await stoppedBy(rules);
    assert.equal(result.end.reason, reason);
    assert.equal(result.generations.length, 1);
    assert.equal(records.length, finished.records.length);
    assert.ok((result.end.measured ?? 0) >= (result.end.limit ?? Infinity));
  });
}

test('the rule no-new-best ends the run', async () => {
  // Nothing can be better than it was when the learning rates are next to nothing.
  const config = tinyConfig({
    ...{ generations: 3, stages: ['self-rewrite'], stop: { patience: 1 }, selfRewrite: { learningRate: 1e-12 } },
  });
  const { result } = await tinyRun(config, { folder: await warmFolder() });
  assert.equal(result.end.reason, 'no-new-best');
  assert.equal(result.generations.length, 1);
});

test('the rule stage-kl ends stage and run, and the policy before it is what was evaluated', async () => {
  const config = tinyConfig({
    ...{ generations: 3, stages: ['policy-refine'], stop: { maxKl: 1e-9 } },
    policyRefine: { iterations: 3 },
  });
  const { result, folder } = await tinyRun(config, { folder: await warmFolder() });
  assert.equal(result.end.reason, 'stage-kl');
  assert.equal(result.generations.length, 1);
  const [stage] = result.generations[0]?.stages ?? [];
  assert.ok(stage?.kind === 'policy-refine');
  assert.equal(stage.result.stop?.reason, 'stage-kl');
  assert.ok(stage.result.iterations.length < 3);
  assert.ok(recordsIn(folder).length > 0);
});
