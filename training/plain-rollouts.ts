/** Plain-prompt, on-policy episodes on train tasks: what PPO, the critic and the calibration learn from. */
import { plainPrompt } from '../agent/transcript.ts';
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Task } from '../contracts/task.ts';
import type { Purpose } from '../contracts/trajectory.ts';
import type { LoopContext } from './context.ts';
import { assertTrainSplit, loadGroups, rollOut } from './groups.ts';
import type { EpisodeRequest } from './episode.ts';
import { scoreTrajectory, type Calibrations, type ScoredTrajectory } from './returns.ts';
import { trainTasks } from './task-sets.ts';

/** Steps whose groups are plain, on-policy rollouts on train tasks; probe sets are not among them. */
export const PLAIN_STEPS: ReadonlySet<string> = new Set(['rollout', 'handoff-rollout']);

/** `episodes` on fresh train tasks, `samplesPerTask` on each, played by the policy at the rollout temperature. */
export async function rollOutTrainTasks(
  context: LoopContext,
  place: Place,
  policy: CheckpointRef,
  episodes: number,
  options: {
    readonly purpose?: Purpose;
    readonly without?: ReadonlySet<string>;
    readonly samplesPerTask?: number;
  } = {},
): Promise<GroupRef[]> {
  const samples = options.samplesPerTask ?? 1;
  const tasks = await trainTasks(context, place, Math.ceil(episodes / samples), options.without);
  const requests = tasks
    .flatMap((task) =>
      Array.from({ length: samples }, (_, sample) =>
        plainRequest(context, place, task, options.purpose ?? 'rollout', sample),
      ),
    )
    .slice(0, episodes);
  return rollOut(context, place, requests, {
    parameters: await context.weights.load(policy),
    policy,
    temperature: context.config.rollout.temperature,
  });
}

function plainRequest(
  context: LoopContext,
  place: Place,
  task: Task,
  purpose: Purpose,
  sample: number,
): EpisodeRequest {
  return {
    task,
    purpose,
    promptIds: plainPrompt(context.tokenizer, task),
    seed: seedOf({
      runSeed: context.config.seed,
      ...place,
      // The step too: a stage has rollouts of several kinds.
      purpose: `${purpose} ${place.step}`,
      groupIndex: place.iteration,
      taskId: task.id,
      sample,
    }),
    sample,
    parentId: null,
    mode: null,
  };
}

/** Loads groups to learn from: episodes without a verdict are left out, other splits refused. */
export async function loadScored(
  context: LoopContext,
  groups: readonly GroupRef[],
  calibrations: Calibrations,
): Promise<ScoredTrajectory[]> {
  const trajectories = await loadGroups(context, groups);
  assertTrainSplit(trajectories);
  return trajectories.flatMap((trajectory) =>
    trajectory.verdict === null ? [] : [scoreTrajectory(trajectory, trajectory.verdict, context.config, calibrations)],
  );
}
