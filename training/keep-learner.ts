/** The end of a piece of training: its weights are stored and handed to the cache; moments only where it resumes. */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import type { Learner } from '../model/learner.ts';
import { disposeParameters } from '../model/parameters.ts';
import type { LoopContext } from './context.ts';

/** The learner must not be used afterwards. */
export async function keepLearner(
  context: LoopContext,
  learner: Learner,
  withMoments: boolean,
): Promise<CheckpointRef> {
  const ref = await context.weights.save(learner.role, learner.parameters, withMoments ? learner.optimizer : null);
  disposeParameters(learner.optimizer.firstMoments);
  disposeParameters(learner.optimizer.secondMoments);
  return ref;
}
