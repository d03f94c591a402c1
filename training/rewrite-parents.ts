/**
 * Which trajectories are rewritten: verified ones of the train split, at most a few per task; and the
 * episodes asked for: the task and the parent's transcript in the prompt, a clean sandbox behind it.
 */
import { rewritePrompt } from '../agent/transcript.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import type { LoopContext } from './context.ts';
import { taskOf } from './groups.ts';
import type { EpisodeRequest } from './episode.ts';

/**
 * The round's own plain episodes, newest first, and a share of what earlier stages left; where one of them is short, the
 * other fills up. Skipped: unverified ones, modes that are off, more than a few of one task, and a parent whose rewrite
 * would not fit the context.
 */
export function chooseParents(
  context: LoopContext,
  freshNewestFirst: readonly Trajectory[],
  earlier: readonly Trajectory[],
): Trajectory[] {
  const { selfRewrite: settings } = context.config;
  const perTask = new Map<string, number>();
  const chosen = new Set<Trajectory>();
  const take = (candidates: readonly Trajectory[], most: number): void => {
    for (const candidate of candidates) {
      if (chosen.size >= most) return;
      const used = perTask.get(candidate.taskId) ?? 0;
      if (chosen.has(candidate) || used >= settings.parentsPerTask || !qualifies(context, candidate)) continue;
      perTask.set(candidate.taskId, used + 1);
      chosen.add(candidate);
    }
  };
  const { maxParents, earlierShare } = settings;
  take(freshNewestFirst, maxParents - Math.round(maxParents * earlierShare));
  take(earlier, maxParents);
  take(freshNewestFirst, maxParents);
  return [...chosen];
}

function qualifies(context: LoopContext, candidate: Trajectory): boolean {
  const { selfRewrite, tasks } = context.config;
  if (candidate.verdict === null || candidate.split !== 'train' || !wantedMode(candidate, selfRewrite)) return false;
  // Room for the rewrite itself: as much as the parent took.
  const answer = candidate.tokenIds.length - candidate.promptLength;
  return promptOf(context, candidate).length + answer <= tasks.context;
}

export function rewriteRequests(context: LoopContext, place: Place, parents: readonly Trajectory[]): EpisodeRequest[] {
  const { seed, selfRewrite } = context.config;
  return parents.flatMap((parent) =>
    Array.from({ length: selfRewrite.rewritesPerParent }, (_, sample): EpisodeRequest => ({
      task: taskOf(context, parent),
      purpose: 'rewrite',
      promptIds: promptOf(context, parent),
      seed: seedOf({
        runSeed: seed,
        ...place,
        purpose: 'rewrite',
        groupIndex: 0,
        taskId: parent.taskId,
        parentId: parent.id,
        sample,
      }),
      sample,
      parentId: parent.id,
      mode: parent.verdict?.strict === true ? 'polish' : 'repair',
    })),
  );
}

function promptOf(context: LoopContext, parent: Trajectory): number[] {
  return rewritePrompt(context.tokenizer, taskOf(context, parent), parent, parent.verdict?.checks ?? []);
}

function wantedMode(parent: Trajectory, settings: RunConfig['selfRewrite']): boolean {
  return parent.verdict?.strict === true ? settings.polish : settings.repair;
}
