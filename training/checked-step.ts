/** An optimizer step that fails by naming the batch: NaN or infinity stops the update, the last good checkpoint stays. */
import { Failure } from '../contracts/failures.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import type { StepResult } from '../model/learner.ts';

export function checkedStep(
  what: string,
  members: readonly { readonly trajectory: Pick<Trajectory, 'id'> }[],
  step: () => StepResult,
): StepResult {
  const failed = (problem: string): Failure => {
    const ids = members.map(({ trajectory }) => trajectory.id.slice(0, 12)).join(' ');
    return new Failure('compute', `${what}: ${problem}; the last good checkpoint stays. Trajectories: ${ids}`, {
      retryable: false,
    });
  };
  let result;
  try {
    result = step();
  } catch (error) {
    // Losses refuse numbers that are not finite in these words.
    if (error instanceof RangeError) throw failed(error.message);
    throw error;
  }
  const { loss, gradientNorm } = result;
  if (Number.isFinite(loss) && Number.isFinite(gradientNorm)) return result;
  throw failed(`loss ${loss}, gradient norm ${gradientNorm}`);
}
