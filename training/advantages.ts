/**
 * Scored trajectories made ready for learning: per action token the sampled, old and reference log-probabilities, the
 * critic's value, advantage and return. Computed once per iteration; nothing here moves a weight.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { actionPositions, scatterPositions, selectPositions } from '../rl/action-mask.ts';
import { adaptiveLambda, estimateAdvantages } from '../rl/gae.ts';
import type { ScoredTrajectory } from './returns.ts';

/** Arrays over the action tokens of one trajectory, [N]. */
export interface Lesson {
  readonly trajectory: Trajectory;
  readonly tokenIds: readonly number[];
  readonly actionMask: readonly number[];
  readonly reward: number;
  readonly sampledLogProbs: Float64Array;
  readonly values: Float64Array;
  readonly advantages: Float64Array;
  readonly returns: Float64Array;
  /** Where the critic is trained: everywhere, but for the `turn` estimator on each turn's first token only. */
  readonly criticSites: readonly boolean[];
}

/** `values`: the critic's, [N] per trajectory; null for Monte-Carlo returns alone (lambda 1 does not read them). */
export function toLessons(
  scored: readonly ScoredTrajectory[],
  values: readonly Float64Array[] | null,
  config: RunConfig,
): Lesson[] {
  return scored.map((one, i) => toLesson(one, values?.[i] ?? null, config));
}

function toLesson(scored: ScoredTrajectory, known: Float64Array | null, config: RunConfig): Lesson {
  const { trajectory, rewards, reward } = scored;
  const { policyRefine } = config;
  const positions = actionPositions(trajectory.actionMask);
  const values = known ?? new Float64Array(positions.length);
  const lambda =
    policyRefine.adaptiveLambda === null
      ? policyRefine.lambda
      : adaptiveLambda(policyRefine.adaptiveLambda, trajectory.turns.length);
  try {
    const { advantages, returns } = estimateAdvantages({
      estimator: policyRefine.estimator,
      rewards,
      values: scatterPositions(values, positions, trajectory.tokenIds.length),
      actionMask: trajectory.actionMask,
      turnIds: trajectory.turnIds,
      gamma: policyRefine.gamma,
      lambda: known === null ? 1 : lambda,
      criticLambda: known === null ? 1 : policyRefine.criticLambda,
      terminated: true,
      bootstrapValue: 0,
    });
    return {
      trajectory,
      tokenIds: trajectory.tokenIds,
      actionMask: trajectory.actionMask,
      reward,
      sampledLogProbs: selectPositions(trajectory.logProbs, positions),
      values,
      advantages: selectPositions(advantages, positions),
      returns: selectPositions(returns, positions),
      criticSites: criticSitesOf(trajectory, positions, policyRefine.estimator === 'turn'),
    };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Failure('compute', `trajectory ${trajectory.id.slice(0, 12)}: ${what}`, {
      subject: trajectory.id,
      retryable: false,
    });
  }
}

function criticSitesOf(trajectory: Trajectory, positions: readonly number[], firstOfTurn: boolean): boolean[] {
  return positions.map((t, i) => {
    if (!firstOfTurn) return true;
    const before = positions[i - 1];
    return before === undefined || trajectory.turnIds[before] !== trajectory.turnIds[t];
  });
}

/** All lessons' arrays end to end. */
export function joined(arrays: readonly ArrayLike<number>[]): Float64Array {
  const total = arrays.reduce((sum, array) => sum + array.length, 0);
  const out = new Float64Array(total);
  let at = 0;
  for (const array of arrays) {
    out.set(array, at);
    at += array.length;
  }
  return out;
}

/** Mean critic target over all action tokens: where a fresh value head starts. */
export function meanReturn(lessons: readonly Lesson[]): number {
  const returns = joined(lessons.map((lesson) => lesson.returns));
  return returns.reduce((sum, one) => sum + one, 0) / Math.max(1, returns.length);
}
