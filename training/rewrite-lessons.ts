/**
 * What a rewrite round trains on: each accepted child behind the *plain* prompt (so that the rewriting ends up in the
 * policy) and once more with the parent in view (so that the skill of rewriting stays), mixed with original strict
 * trajectories and a bounded replay of former rounds' children.
 */
import { plainPrompt, plainTranscriptOf } from '../agent/transcript.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import type { Sequence } from '../model/sequence-batch.ts';
import { randomStream } from '../rl/random-stream.ts';
import type { LoopContext } from './context.ts';
import { taskOf } from './groups.ts';

export interface RewriteSources {
  readonly accepted: readonly Trajectory[];
  /** The round's plain episodes: the strict ones among them are the originals. */
  readonly fresh: readonly Trajectory[];
  /** Accepted children of former rounds, newest first. */
  readonly replay: readonly Trajectory[];
}

export function rewriteLessons(context: LoopContext, place: Place, sources: RewriteSources): Sequence[] {
  const { selfRewrite, seed } = context.config;
  const stream = randomStream(seedOf({ runSeed: seed, ...place, purpose: 'mix', groupIndex: 0 }));
  const wanted = Math.round(selfRewrite.originalsPerChild * sources.accepted.length);
  const strict = sources.fresh.filter(({ verdict }) => verdict?.strict === true);
  const originals = stream.shuffle(strict).slice(0, wanted);
  const replayed = newestPerTask(sources.replay, selfRewrite.replayPerTask).slice(0, selfRewrite.replay);
  const limit = context.config.tasks.context;
  return [
    ...sources.accepted.map((child) => plainLesson(context, child)),
    ...sources.accepted,
    ...originals,
    ...replayed.map((child) => plainLesson(context, child)),
  ].filter(({ tokenIds }) => tokenIds.length <= limit);
}

function plainLesson(context: LoopContext, child: Trajectory): Sequence {
  return plainTranscriptOf(child, plainPrompt(context.tokenizer, taskOf(context, child)));
}

function newestPerTask(newestFirst: readonly Trajectory[], cap: number): Trajectory[] {
  const used = new Map<string, number>();
  return newestFirst.filter(({ taskId }) => {
    const count = (used.get(taskId) ?? 0) + 1;
    used.set(taskId, count);
    return count <= cap;
  });
}
