/** Stage `policy-refine` (RPR): the critic is handed over and re-calibrated, then PPO on fresh rollouts. */
import type { RefineNote } from '../activities/run-ref.ts';
import { gpuActivities } from './run-activities.ts';
import { listenToParent } from './stage-control.ts';
import type { RefineInput } from './stage-input.ts';

export async function policyRefine(input: RefineInput): Promise<RefineNote> {
  const { run, heartbeatSeconds, control, place, policy, promoted } = input;
  const act = gpuActivities(heartbeatSeconds).policyRefine;
  const summary = `g${place.generation} / s${place.stageIndex} / policy-refine`;
  return listenToParent(run, control).run(() => act.executeWithOptions({ summary }, [run, place, policy, promoted]));
}
