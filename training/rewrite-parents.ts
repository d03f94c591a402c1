/**
 * Which trajectories are rewritten: verified ones of the train split, newest first, at most a few per task; and the
 * episodes asked for: the task and the parent's transcript in the prompt, a clean sandbox behind it.
 */
import { rewritePrompt } from '../agent/transcript.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import type { LoopContext } from './context.ts';
import { taskOf } from './groups.ts';
import type { EpisodeRequest } from './rollout.ts';

/** The first that qualify; a parent whose rewrite would not fit the context is skipped. */
export function chooseParents(
  newestFirst: readonly Trajectory[],
  settings: RunConfig['selfRewrite'],
  context: LoopContext,
  contextLimit: number,
): Trajectory[] {
  const perTask = new Map<string, number>();
  const chosen: Trajectory[] = [];
  for (const candidate of newestFirst) {
    if (chosen.length >= settings.maxParents) break;
    if (candidate.verdict === null || candidate.split !== 'train' || !wantedMode(candidate, settings)) continue;
    const used = perTask.get(candidate.taskId) ?? 0;
    if (used >= settings.parentsPerTask) continue;
    // Room for the rewrite itself: as much as the parent took.
    const prompt = promptOf(context, candidate);
    const answer = candidate.tokenIds.length - candidate.promptLength;
    if (prompt.length + answer > contextLimit) continue;
    perTask.set(candidate.taskId, used + 1);
    chosen.push(candidate);
  }
  return chosen;
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
