/**
 * Groups of episodes as they are stored: played (or scripted) episodes become trajectories with content names, a group
 * is written whole or not at all, and a reference with its summary is what the loop passes on.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { GroupRef, GroupSummary } from '../contracts/checkpoint.ts';
import { digestOf } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';
import type { Place, PlayingTime, Use } from '../contracts/run-store.ts';
import type { Task } from '../contracts/task.ts';
import type { Trajectory, Verdict } from '../contracts/trajectory.ts';
import { isStrict, rawProgress } from '../rl/success-prioritized-reward.ts';
import { once, use, type LoopContext } from './context.ts';
import { addedUp, type EpisodeRequest, type PlayedEpisode, type PlayedEpisodes } from './episode.ts';
import type { ActingPolicy } from './players/players.ts';

/** Plays the requests in lockstep batches, several in flight, and stores each batch as a group of `place.group` + i. */
export async function rollOut(
  context: LoopContext,
  place: Place,
  requests: readonly EpisodeRequest[],
  acting: ActingPolicy,
): Promise<GroupRef[]> {
  const size = context.config.rollout.batch;
  const groups = Array.from({ length: Math.ceil(requests.length / size) }, (_, i) =>
    requests.slice(i * size, (i + 1) * size),
  );
  const refs = new Array<GroupRef>(groups.length);
  let next = 0;
  let finished = 0;
  const { players } = context;
  const pieces = piecesOf(groups.length, players.width);
  const lane = async (): Promise<void> => {
    while (next < groups.length) {
      const index = next;
      next += 1;
      const members = groups[index] as readonly EpisodeRequest[];
      refs[index] = await storeGroup(
        context,
        { ...place, group: place.group + index },
        [use('policy', acting.policy)],
        async () => {
          const { episodes, time } = await playWithRetries(context, members, acting, pieces);
          return {
            tasks: members.map(({ task }) => task),
            trajectories: members.map((request, i) => toTrajectory(request, episodes[i] as PlayedEpisode, acting)),
            played: time,
          };
        },
      );
      finished += members.length;
      context.report({ kind: 'work', what: 'episodes', done: finished, of: requests.length, loss: null });
    }
  };
  // All lanes end before a failure is told: nothing may go on in sandboxes and storage that are being closed.
  const lanes = await Promise.allSettled(Array.from({ length: players.lanes }, lane));
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason;
  return refs;
}

/**
 * Batches a group is shared out to; it is stored as one all the same. Large ones are the cheapest, but nobody should wait
 * while the last group is played, which many groups outweigh (`npm run bench -- sampling`: 3 of 128 against 6 of 64).
 */
function piecesOf(groups: number, width: number): number {
  if (groups >= 3 * width) return 1;
  let pieces = 1;
  while ((groups * pieces) % width !== 0) pieces += 1;
  return pieces;
}

/** Times an episode is played when its machine, not its policy, failed. */
const ATTEMPTS = 3;

/** An episode whose sandbox failed is played again, alike in all but the machine; what fails thrice has no verdict. */
async function playWithRetries(
  context: LoopContext,
  requests: readonly EpisodeRequest[],
  acting: ActingPolicy,
  pieces: number,
): Promise<PlayedEpisodes> {
  const { players, signal } = context;
  const first = await players.play(requests, acting, pieces, signal);
  const episodes = [...first.episodes];
  const times = [first.time];
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const lost = episodes.flatMap(({ failure }, i) => (failure?.retryable === true ? [i] : []));
    if (lost.length === 0) break;
    const again = lost.map((i) => requests[i] as EpisodeRequest);
    const replayed = await players.play(again, acting, pieces, signal);
    times.push(replayed.time);
    for (const [k, i] of lost.entries()) episodes[i] = replayed.episodes[k] as PlayedEpisode;
  }
  return { episodes, time: addedUp(times) };
}

/** What a group's file holds: the episodes in order, and the tasks they attempted, each once. */
interface GroupContents {
  readonly tasks: readonly Task[];
  readonly trajectories: readonly Trajectory[];
}

interface MadeGroup extends GroupContents {
  readonly played: PlayingTime;
}

/** Stores what `make` yields as one group. */
export function storeGroup(
  context: LoopContext,
  place: Place,
  uses: readonly Use[],
  make: () => Promise<MadeGroup>,
): Promise<GroupRef> {
  return once<GroupRef>(context, place, async () => {
    const { tasks, trajectories, played } = await make();
    const distinct = new Map(tasks.map((task) => [task.id, task]));
    for (const [id, task] of distinct) context.tasks.set(id, task);
    const lines = [...distinct.values(), ...trajectories].map((entry) => JSON.stringify(entry)).join('\n');
    // Level 1: these files are many and read often; a fixed level keeps the bytes, and so the digest, the same.
    const digest = await context.store.putBlob(gzipSync(lines, { level: 1 }));
    return {
      content: { kind: 'group', place, digest, summary: summaryOf(context, trajectories) },
      blobs: [digest],
      uses,
      played,
    };
  });
}

/** The group's episodes; its tasks are noted in the context. */
export async function loadGroup(context: LoopContext, ref: GroupRef): Promise<Trajectory[]> {
  const text = gunzipSync(await context.store.getBlob(ref.digest)).toString();
  const entries = text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Task | Trajectory);
  const trajectories: Trajectory[] = [];
  for (const entry of entries) {
    if (entry.kind === 'trajectory') trajectories.push(entry);
    else context.tasks.set(entry.id, entry);
  }
  return trajectories;
}

export async function loadGroups(context: LoopContext, refs: readonly GroupRef[]): Promise<Trajectory[]> {
  const groups = await Promise.all(refs.map((ref) => loadGroup(context, ref)));
  return groups.flat();
}

/** The task of a trajectory that was played or loaded in this process. */
export function taskOf(context: LoopContext, trajectory: Trajectory): Task {
  const task = context.tasks.get(trajectory.taskId);
  if (task === undefined) {
    throw new Failure(
      'lineage',
      `task ${trajectory.taskId.slice(0, 12)} of trajectory ${trajectory.id.slice(0, 12)} is not stored`,
    );
  }
  return task;
}

/** What identifies a task within a trajectory, whoever played it. */
export function taskFields(task: Task) {
  return {
    taskId: task.id,
    family: task.family,
    split: task.split,
    subGoals: task.subGoals.map((subGoal) => subGoal.kind),
    verifierDigest: task.verifierDigest,
    checkWeights: task.checks.map((check) => check.weight),
    turnLimit: task.limits.turns,
  };
}

/** Gives a trajectory its content name. */
export function named(body: Omit<Trajectory, 'id'>): Trajectory {
  return { ...body, id: digestOf(body) };
}

export function verdictOf(weights: readonly number[], checks: readonly number[], endedByDone: boolean): Verdict {
  return { checks, progress: rawProgress(weights, checks), strict: isStrict(checks, endedByDone) };
}

function toTrajectory(request: EpisodeRequest, episode: PlayedEpisode, acting: ActingPolicy): Trajectory {
  const { transcript, turns, endedBy, failure } = episode;
  const fields = taskFields(request.task);
  const finalChecks = turns.at(-1)?.checks ?? episode.initialChecks;
  const nothing = { promptLength: request.promptIds.length, tokenIds: [], actionMask: [], turnIds: [], logProbs: [] };
  return named({
    kind: 'trajectory',
    purpose: request.purpose,
    ...fields,
    policy: acting.policy.weightsDigest,
    seed: request.seed,
    sample: request.sample,
    temperature: acting.temperature,
    parentId: request.parentId,
    mode: request.mode,
    ...(transcript ?? nothing),
    initialChecks: episode.initialChecks,
    turns,
    endedBy,
    verdict: transcript === null ? null : verdictOf(fields.checkWeights, finalChecks, endedBy === 'done'),
    failure,
  });
}

function summaryOf(context: LoopContext, trajectories: readonly Trajectory[]): GroupSummary {
  const { tokenizer } = context;
  const verified = trajectories.filter((trajectory) => trajectory.verdict !== null);
  const total = (measure: (trajectory: Trajectory) => number): number =>
    verified.reduce((sum, trajectory) => sum + measure(trajectory), 0);
  return {
    episodes: trajectories.length,
    noVerdict: trajectories.length - verified.length,
    strict: total((trajectory) => Number(trajectory.verdict?.strict ?? false)),
    partialMean: verified.length === 0 ? 0 : total((trajectory) => trajectory.verdict?.progress ?? 0) / verified.length,
    turns: total((trajectory) => trajectory.turns.length),
    actionTokens: total(actionTokensOf),
    failedCommands: total(failedCommandsOf),
    cutTurns: total((trajectory) => cutTurnsOf(trajectory, tokenizer.special.endOfTurn)),
    endedAtLimit: total((trajectory) => Number(trajectory.endedBy !== 'done')),
  };
}

export function actionTokensOf(trajectory: Trajectory): number {
  return trajectory.actionMask.reduce((sum, mask) => sum + mask, 0);
}

export function failedCommandsOf(trajectory: Trajectory): number {
  return trajectory.turns.filter((turn) => turn.exitCode !== 0).length;
}

/** Turns whose end had to be forced: the policy used up its tokens. */
export function cutTurnsOf(trajectory: Trajectory, endOfTurn: number): number {
  const ends = trajectory.tokenIds.filter((id, i) => id === endOfTurn && trajectory.actionMask[i] === 1).length;
  return trajectory.turns.length - ends;
}

/** Refuses a group reference that a stage may not learn from. */
export function assertTrainSplit(trajectories: readonly Trajectory[]): void {
  const wrong = trajectories.find((trajectory) => trajectory.split !== 'train');
  if (wrong === undefined) return;
  throw new Failure(
    'lineage',
    `trajectory ${wrong.id.slice(0, 12)} is of split ${wrong.split}; only train may be learned from`,
    {
      subject: wrong.id,
    },
  );
}
