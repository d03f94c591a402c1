/** Stage `warm-up-critic`: the policy is frozen, the critic learns what its states are worth. */
import type { CriticNote } from '../activities/run-ref.ts';
import { gpuActivities } from './run-activities.ts';
import { listenToParent } from './stage-control.ts';
import type { WarmUpInput } from './stage-input.ts';

export async function warmUpCritic(input: WarmUpInput): Promise<CriticNote> {
  const { run, heartbeatSeconds, control, policy } = input;
  const act = gpuActivities(heartbeatSeconds).warmUpCritic;
  const summary = 'g0 / warm-up critic';
  return listenToParent(run, control).run(() => act.executeWithOptions({ summary }, [run, policy]));
}
