/**
 * A run small enough to read, of every kind of record that the loop stores, without model and sandbox: warm start, critic,
 * evaluation, a rewrite round with one accepted and one refused child, handoff, policy update, calibration, promotion, a
 * family that joins.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { CheckpointRef, GroupRef } from '../../contracts/checkpoint.ts';
import { digestOf } from '../../contracts/digest.ts';
import type { Content, Place, RunStore, StoredRecord, Use } from '../../contracts/run-store.ts';
import type { Split, Task } from '../../contracts/task.ts';
import type { Purpose, Trajectory } from '../../contracts/trajectory.ts';

export interface TinyRun {
  readonly start: CheckpointRef;
  readonly critic: CheckpointRef;
  readonly rewritten: CheckpointRef;
  readonly refined: CheckpointRef;
  readonly demonstrations: GroupRef;
  readonly rewrites: GroupRef;
  readonly demonstration: Trajectory;
  readonly parent: Trajectory;
  readonly accepted: Trajectory;
  readonly refused: Trajectory;
  readonly heldOut: GroupRef;
}

export function at(generation: number, stageIndex: number, step: string, iteration = 0, group = 0): Place {
  return { generation, stageIndex, step, iteration, group };
}

export function record<T extends Content>(
  place: Place,
  content: T,
  blobs: readonly string[] = [],
  uses: readonly Use[] = [],
): StoredRecord<T> {
  return { place, content, uses, blobs, seconds: 0.25, elapsed: 1.5 };
}

export function aTask(number: number, split: Split = 'train'): Task {
  const body = {
    instruction: `write "${number}" into a\\b, {c}`,
    workdir: '/home/agent/work',
    directories: [],
    files: [{ path: '/home/agent/work/a', content: `${number}\n`, mode: 0o644 }],
    checks: [1, 2].map((weight, i) => ({ name: `check-${i}`, weight, subGoal: i, conditions: [] })),
    limits: { turns: 6, tokensPerTurn: 16, context: 256, commandSeconds: 3 },
  };
  const goals = ['write', 'it\'s a "goal", \\'].map((kind) => ({ kind, slots: {} }));
  const verifierDigest = digestOf(body.checks);
  return { kind: 'task', id: digestOf(body), family: 'notes', split, subGoals: goals, verifierDigest, ...body };
}

export interface EpisodeOptions extends Partial<Trajectory> {
  readonly tokens?: number;
}

export function anEpisode(task: Task, policy: CheckpointRef | null, options: EpisodeOptions = {}): Trajectory {
  const { tokens = 24, ...given } = options;
  const index = Array.from({ length: tokens }, (_, i) => i);
  const purpose: Purpose = policy === null ? 'demonstration' : 'rollout';
  const seed = given.seed ?? 2 ** 52 + 1;
  const checks = [1, 0.5];
  const { id: _, ...body } = {
    kind: 'trajectory' as const,
    id: '',
    purpose,
    taskId: task.id,
    family: task.family,
    split: task.split,
    subGoals: task.subGoals.map(({ kind }) => kind),
    verifierDigest: task.verifierDigest,
    checkWeights: task.checks.map(({ weight }) => weight),
    turnLimit: task.limits.turns,
    policy: policy?.weightsDigest ?? null,
    sample: 0,
    temperature: policy === null ? 0 : 1,
    parentId: null,
    mode: null,
    promptLength: 4,
    tokenIds: index.map((i) => (i * 7919 + seed) % 50_000),
    actionMask: index.map((i) => (i < 4 ? 0 : 1)),
    turnIds: index.map((i) => (i < 4 ? -1 : 1 + Math.floor(i / 12))),
    logProbs: index.map((i) => (i < 4 ? 0 : -Math.sqrt(i) / 3)),
    initialChecks: [0, 0],
    turns: [
      { command: 'echo "1" > a', observation: 'nul \0 and \\ and "quote" and ünïcode', exitCode: 0, checks: [1, 0] },
      { command: 'done', observation: '', exitCode: 0, checks },
    ],
    endedBy: 'done' as const,
    verdict: { checks, progress: 2 / 3, strict: false },
    failure: null,
    ...given,
    seed,
  };
  return { ...body, id: digestOf(body) };
}

/** Stores weights that are as good as any. */
export async function aCheckpoint(store: RunStore, role: CheckpointRef['role'], name: string): Promise<CheckpointRef> {
  const digest = await store.putBlob(Buffer.from(`${role} ${name}`));
  const weightsDigest = createHash('sha256').update(`weights of ${role} ${name}`).digest('hex');
  return { kind: 'checkpoint', role, digest, weightsDigest };
}

export function groupFile(tasks: readonly Task[], episodes: readonly Trajectory[]): Buffer {
  return gzipSync([...tasks, ...episodes].map((entry) => JSON.stringify(entry)).join('\n'), { level: 1 });
}

export async function aGroup(
  store: RunStore,
  place: Place,
  tasks: readonly Task[],
  episodes: readonly Trajectory[],
  uses: readonly Use[],
): Promise<StoredRecord<GroupRef>> {
  const digest = await store.putBlob(groupFile(tasks, episodes));
  const verdicts = episodes.flatMap(({ verdict }) => (verdict === null ? [] : [verdict]));
  const summary = {
    episodes: episodes.length,
    noVerdict: episodes.length - verdicts.length,
    strict: verdicts.filter(({ strict }) => strict).length,
    partialMean: verdicts.reduce((sum, { progress }) => sum + progress, 0) / Math.max(1, verdicts.length),
    ...{ turns: 2 * episodes.length, actionTokens: 20 * episodes.length, failedCommands: 0, cutTurns: 0 },
    endedAtLimit: 0,
  };
  return record(place, { kind: 'group', place, digest, summary }, [digest], uses);
}

const use = (role: string, { digest }: { readonly digest: string }): Use => ({ role, digest });

export async function playTinyRun(store: RunStore): Promise<TinyRun> {
  const keep = async (written: StoredRecord<GroupRef>): Promise<GroupRef> => (await store.write(written)).content;
  const [one, two, far] = [aTask(1), aTask(2), aTask(3, 'held-out')];

  const initial = await aCheckpoint(store, 'policy', 'initial');
  await store.write(record(at(0, -1, 'start-model'), initial, [initial.digest]));
  const demonstration = anEpisode(one, null);
  const shorter = anEpisode(one, null, { parentId: demonstration.id, mode: 'repair', tokens: 12 });
  const demonstrations = await keep(
    await aGroup(store, at(0, -1, 'demonstrations'), [one], [demonstration, shorter], []),
  );
  const start = await aCheckpoint(store, 'policy', 'start');
  const imitated = [use('parent', initial), use('imitated', demonstrations)];
  await store.write(record(at(0, -1, 'imitation'), start, [start.digest], imitated));

  const failure = { boundary: 'sandbox' as const, message: 'gone', subject: null, retryable: true };
  const lost = { tokens: 0, initialChecks: [], turns: [], endedBy: null, verdict: null, failure };
  const parent = anEpisode(two, start, { seed: 11 });
  const rollouts = await keep(
    await aGroup(store, at(0, 0, 'rollout'), [two, one], [parent, anEpisode(one, start, lost)], [use('policy', start)]),
  );
  const critic = await aCheckpoint(store, 'critic', 'first');
  const fitted = [use('parent', start), use('fitted', rollouts)];
  const update = { kind: 'critic-update', critic, explainedVariance: null, loss: 0.1 };
  await store.write(record(at(0, 0, 'critic-update'), update, [critic.digest], fitted));

  const seen = anEpisode(far, start, { purpose: 'evaluation', temperature: 0 });
  const heldOut = await keep(await aGroup(store, at(0, 2, 'evaluate-held-out'), [far], [seen], [use('policy', start)]));
  const outcome = {
    taskId: far.id,
    family: 'notes',
    subGoals: [],
    checks: [1, 0.5],
    state: 'partial',
    progress: 2 / 3,
  };
  const outcomes = [{ ...outcome, turns: 2, actionTokens: 20, failedCommands: 0 }];
  const measured = { kind: 'evaluation-outcomes', set: 'held-out', outcomes };
  await store.write(
    record(at(0, 2, 'outcomes-held-out'), measured, [], [use('policy', start), use('episodes', heldOut)]),
  );

  const child = { purpose: 'rewrite' as const, parentId: parent.id, mode: 'repair' as const };
  const strict = { checks: [1, 1], progress: 1, strict: true };
  const accepted = anEpisode(two, start, { ...child, seed: 21, verdict: strict });
  const refused = anEpisode(two, start, { ...child, seed: 22, sample: 1 });
  const rewrites = await keep(
    await aGroup(store, at(1, 0, 'rewrite'), [two], [accepted, refused], [use('policy', start)]),
  );
  const measures = { turnDelta: -1, tokenDelta: -4, failedDelta: 0, similarity: 0.25, verdicts: ['strict'] };
  const decided = [accepted, refused].map(({ id, mode, taskId, seed, policy }, i) => ({
    ...{ childId: id, parentId: parent.id, taskId, mode, seed, policy, measures },
    ...{ accepted: i === 0, gate: i === 0 ? null : 'not-strict' },
  }));
  const decisions = await store.putBlob(Buffer.from(JSON.stringify(decided)));
  const judged = { kind: 'rewrite-decisions', decisions, acceptedIds: [accepted.id] };
  await store.write(record(at(1, 0, 'gates'), judged, [decisions], [use('candidates', rewrites)]));
  const rewritten = await aCheckpoint(store, 'policy', 'rewritten');
  await store.write(
    record(
      at(1, 0, 'fine-tune'),
      { kind: 'rewrite-round', policy: rewritten, loss: 0.5 },
      [rewritten.digest],
      [...[use('parent', start), use('accepted', rewrites), use('originals', rollouts)]],
    ),
  );

  const inherited = await aCheckpoint(store, 'critic', 'inherited');
  const explained = { explainedVarianceBefore: -0.5, explainedVarianceAfter: 0.25, loss: 0.125, rollouts: [rollouts] };
  await store.write(
    record(
      at(1, 1, 'handoff'),
      { kind: 'handoff', critic: inherited, parent: critic, ...explained },
      [inherited.digest],
      [...[use('parent', critic), use('policy', rewritten), use('fitted', rollouts)]],
    ),
  );
  const fresh = await keep(
    await aGroup(
      store,
      at(1, 1, 'rollout'),
      [one],
      [anEpisode(one, rewritten, { seed: 31 })],
      [use('policy', rewritten)],
    ),
  );
  const refined = await aCheckpoint(store, 'policy', 'refined');
  const better = await aCheckpoint(store, 'critic', 'better');
  await store.write(
    record(
      at(1, 1, 'policy-update'),
      { kind: 'policy-update', policy: refined, critic: better, klCoefficient: 0.02, metrics: {} },
      [refined.digest, better.digest],
      [use('parent', rewritten), use('parent', inherited), use('reference', rewritten), use('rollouts', fresh)],
    ),
  );
  const maps = { notes: { kind: 'calibration', knots: [], episodes: 1, pseudoCount: 20 } };
  const calibration = { kind: 'calibration', maps, digest: digestOf(maps), episodes: 1, errorOfRaw: 0.5 };
  await store.write(
    record(at(1, 2, 'calibration'), { ...calibration, errorOfFormerMaps: null }, [], [use('rows', fresh)]),
  );
  const drift = [use('policy', refined), use('reference', start), use('rollouts', fresh)];
  await store.write(record(at(1, 2, 'stop-check'), { kind: 'stop-check', end: null }));
  await store.write(record(at(1, 2, 'drift'), { kind: 'drift', kl: 0.0625 }, [], drift));
  const decision = { promoted: true, reason: 'better', newBest: true };
  await store.write(
    record(
      at(1, 2, 'promotion'),
      { kind: 'promotion', decision, state: { generation: 1, policy: refined, critic: better } },
      [],
      [use('candidate', refined)],
    ),
  );
  await store.write(record(at(2, -1, 'added-tasks'), { kind: 'added-tasks', families: ['tidy'] }));
  const added: Task = { ...aTask(9, 'held-out'), family: 'tidy' };
  const met = anEpisode(added, refined, { purpose: 'evaluation' });
  const evaluated = await keep(
    await aGroup(store, at(2, -1, 'evaluate-added'), [added], [met], [use('policy', refined)]),
  );
  const atJoining = { kind: 'evaluation-outcomes', set: 'added', outcomes: [{ ...outcomes[0], taskId: added.id }] };
  await store.write(
    record(at(2, -1, 'outcomes-added'), atJoining, [], [use('policy', refined), use('episodes', evaluated)]),
  );
  return {
    ...{ start, critic, rewritten, refined, demonstrations, rewrites, demonstration, parent, accepted, refused },
    heldOut,
  };
}
