/**
 * The start model's first lessons: imitation of the sloppy agent's demonstrations, each seen once (repeated epochs on
 * few demonstrations memorise). Strict success starts low on purpose. The sandboxes play one chunk ahead of the
 * training, and a checkpoint is stored after each chunk.
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import { openLearner } from '../model/learner.ts';
import { initialParameters } from '../model/parameters.ts';
import { randomStream } from '../rl/random-stream.ts';
import type { Schedule } from '../rl/schedule.ts';
import { once, use, type LoopContext } from './context.ts';
import { demonstrate, type DemonstrationCounts } from './demonstrations.ts';
import { recordEnvironment } from './environment.ts';
import { fineTune } from './fine-tune.ts';
import { loadGroup } from './groups.ts';
import { keepLearner } from './keep-learner.ts';
import { dealMinibatches } from './minibatches.ts';

export interface WarmStart {
  readonly policy: CheckpointRef;
  readonly demonstrations: readonly GroupRef[];
}

/** Demonstrations of one chunk. */
const CHUNK = 1024;

export async function warmStart(context: LoopContext): Promise<WarmStart> {
  await recordEnvironment(context);
  const chunks = splitIntoChunks(context);
  const groups: GroupRef[] = [];
  let policy = await startModel(context);
  let coming = demonstrateChunk(context, chunks, 0);
  for (const [i] of chunks.entries()) {
    const group = await coming;
    coming = demonstrateChunk(context, chunks, i + 1);
    // Should the chunk ahead fail, it is told where it is awaited; until then the rejection must not go unheard.
    coming.catch(() => undefined);
    if (group === null) break;
    groups.push(group);
    policy = await imitate(context, i, policy, group, chunks);
  }
  return { policy, demonstrations: groups };
}

function startModel(context: LoopContext): Promise<CheckpointRef> {
  const at: Place = { generation: 0, stageIndex: -1, step: 'start-model', iteration: 0, group: 0 };
  return once(context, at, async () => {
    const seed = seedOf({ runSeed: context.config.seed, ...at, purpose: 'weights', groupIndex: 0 });
    const policy = await context.weights.save('policy', initialParameters(context.model, 'policy', seed), null);
    return { content: policy, blobs: [policy.digest] };
  });
}

async function demonstrateChunk(
  context: LoopContext,
  chunks: readonly DemonstrationCounts[],
  index: number,
): Promise<GroupRef | null> {
  const counts = chunks[index];
  if (counts === undefined) return null;
  return demonstrate(
    context,
    { generation: 0, stageIndex: -1, step: 'demonstrations', iteration: index, group: 0 },
    counts,
  );
}

/** One pass over a chunk; the last one stores weights alone, the others what the next needs to go on. */
function imitate(
  context: LoopContext,
  chunk: number,
  start: CheckpointRef,
  group: GroupRef,
  chunks: readonly DemonstrationCounts[],
): Promise<CheckpointRef> {
  const { config, weights, model, tokenizer } = context;
  const at: Place = { generation: 0, stageIndex: -1, step: 'imitation', iteration: chunk, group: 0 };
  return once(context, at, async () => {
    const moments = chunk === 0 ? null : await weights.loadOptimizer(start);
    const learner = openLearner(
      'policy',
      model,
      await weights.load(start),
      config.optimizer,
      tokenizer.vocabSize,
      moments,
    );
    const trajectories = (await loadGroup(context, group)).filter(
      (trajectory) => trajectory.tokenIds.length <= config.tasks.context,
    );
    const seed = seedOf({ runSeed: config.seed, ...at, purpose: 'order imitation', groupIndex: chunk });
    const batches = dealMinibatches(trajectories, config.warmStart.batch, randomStream(seed));
    await fineTune(context, learner, batches, schedule(context, chunks));
    const policy = await keepLearner(context, learner, chunk + 1 < chunks.length);
    return { content: policy, blobs: [policy.digest], uses: [use('parent', start), use('imitated', group)] };
  });
}

function splitIntoChunks(context: LoopContext): DemonstrationCounts[] {
  const { demonstrations, rewriteDemonstrations } = context.config.warmStart;
  const chunks = Math.ceil(demonstrations / CHUNK);
  const share = (total: number, i: number): number =>
    Math.floor((total * (i + 1)) / chunks) - Math.floor((total * i) / chunks);
  return Array.from({ length: chunks }, (_, i) => ({
    episodes: share(demonstrations, i),
    rewrites: share(rewriteDemonstrations, i),
  }));
}

/** Linear decay over all chunks together. */
function schedule(context: LoopContext, chunks: readonly DemonstrationCounts[]): Schedule {
  const { learningRate, batch, warmUpSteps, finalFraction } = context.config.warmStart;
  const steps = chunks.reduce((sum, chunk) => sum + Math.ceil((chunk.episodes + chunk.rewrites) / batch), 0);
  const totalSteps = Math.max(1, steps);
  return {
    kind: 'linear',
    base: learningRate,
    warmupSteps: Math.min(warmUpSteps, totalSteps),
    totalSteps,
    finalFraction,
  };
}
