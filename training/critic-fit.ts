/**
 * Fitting V to Monte-Carlo returns with plain squared error: the critic's warm-up and its re-calibration after a
 * handoff. The gate is the explained variance on a probe set that was not fitted on.
 */
import type { Learner } from '../model/learner.ts';
import type { Parameters } from '../model/parameters.ts';
import { scoreValues } from '../model/score.ts';
import { packBatch } from '../model/sequence-batch.ts';
import { explainedVariance } from '../rl/explained-variance.ts';
import type { RandomStream } from '../rl/random-stream.ts';
import { valueLoss } from '../rl/value-loss.ts';
import { joined, type Lesson } from './advantages.ts';
import { checkedStep } from './checked-step.ts';
import { breathe, type LoopContext } from './context.ts';
import { dealMinibatches } from './minibatches.ts';

export interface CriticFit {
  readonly epochs: number;
  readonly minibatch: number;
  readonly learningRate: number;
}

/** Mean loss over the last epoch. */
export async function fitCritic(
  context: LoopContext,
  critic: Learner,
  lessons: readonly Lesson[],
  fit: CriticFit,
  stream: RandomStream,
): Promise<number | null> {
  let mean: number | null = null;
  for (let epoch = 0; epoch < fit.epochs; epoch += 1) {
    const losses: number[] = [];
    for (const members of dealMinibatches(lessons, fit.minibatch, stream)) {
      losses.push(criticStep(critic, members, fit.learningRate, null));
      await breathe(context);
    }
    mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  }
  return mean;
}

/** One optimizer step of the critic over whole episodes; token mean over the sites where it is trained. */
export function criticStep(
  critic: Learner,
  members: readonly Lesson[],
  learningRate: number,
  clip: number | null,
): number {
  const sites = members.flatMap((lesson) => lesson.criticSites.map((trained, i) => ({ lesson, i, trained })));
  const chosen = sites.flatMap(({ trained }, row) => (trained ? [row] : []));
  const returns = joined(members.map((lesson) => lesson.returns));
  const oldValues = joined(members.map((lesson) => lesson.values));
  const { loss } = checkedStep('critic update', members, () =>
    critic.valueStep(packBatch(members), learningRate, (values) => {
      const result = valueLoss({
        values: chosen.map((row) => values[row] as number),
        oldValues: chosen.map((row) => oldValues[row] as number),
        returns: chosen.map((row) => returns[row] as number),
        clip,
      });
      const dValues = new Float64Array(values.length);
      for (const [k, row] of chosen.entries()) dValues[row] = (result.gradient[k] as number) / chosen.length;
      return { loss: result.perToken.reduce((sum, one) => sum + one, 0) / Math.max(1, chosen.length), dValues };
    }),
  );
  return loss;
}

/** Explained variance of the critic on given lessons; null where it is undefined. */
export function explainedOn(context: LoopContext, critic: Parameters, lessons: readonly Lesson[]): number | null {
  return explainedWith(lessons, scoreValues(critic, context.model, lessons));
}

/** The same with the critic's values at hand, [N] per lesson; only sites where the critic is trained count. */
export function explainedWith(lessons: readonly Lesson[], values: readonly Float64Array[]): number | null {
  const pairs = lessons.flatMap((lesson, l) =>
    lesson.criticSites.flatMap((trained, i) =>
      trained ? [[lesson.returns[i] as number, values[l]?.[i] as number] as const] : [],
    ),
  );
  return explainedVariance(
    pairs.map(([target]) => target),
    pairs.map(([, value]) => value),
  );
}
