/**
 * Imitation of given trajectories: cross-entropy on their action tokens, token mean over each optimizer step's batch.
 * Used by the warm start (demonstrations) and by self-rewrite (accepted children).
 */
import { Failure } from '../contracts/failures.ts';
import type { Learner, PolicyLossValue } from '../model/learner.ts';
import { packBatch, type Sequence } from '../model/sequence-batch.ts';
import { learningRate, type Schedule } from '../rl/schedule.ts';
import { breathe, type LoopContext } from './context.ts';

/** Steps the learner through the batches; the schedule goes by the optimizer's own step count. Returns the mean loss. */
export async function fineTune(
  context: LoopContext,
  learner: Learner,
  batches: readonly (readonly Sequence[])[],
  schedule: Schedule,
): Promise<number> {
  let total = 0;
  for (const [i, members] of batches.entries()) {
    const rate = learningRate(schedule, learner.optimizer.steps);
    const { loss, gradientNorm } = learner.policyStep(packBatch(members), rate, 1, crossEntropy);
    if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm)) {
      throw new Failure(
        'compute',
        `fine-tuning: loss ${loss}, gradient norm ${gradientNorm} at step ${i}; nothing was stored`,
        {
          retryable: false,
        },
      );
    }
    total += loss;
    context.report({ kind: 'work', what: 'steps', done: i + 1, of: batches.length, loss });
    await breathe(context);
  }
  return batches.length === 0 ? 0 : total / batches.length;
}

/** -mean log pi(token), d/dlogp = -1/N. */
export function crossEntropy(logProbs: Float32Array): PolicyLossValue {
  const n = logProbs.length;
  const loss = -logProbs.reduce((sum, logProb) => sum + logProb, 0) / n;
  return { loss, dLogProbs: new Float64Array(n).fill(-1 / n), dEntropies: null };
}
