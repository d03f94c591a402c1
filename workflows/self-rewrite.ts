/** Stage `self-rewrite` (RSR): the policy rewrites verified trajectories, the gates keep the better ones, it learns them. */
import type { RewriteNote } from '../activities/run-ref.ts';
import { gpuActivities } from './run-activities.ts';
import { listenToParent } from './stage-control.ts';
import type { RewriteInput } from './stage-input.ts';

export async function selfRewrite(input: RewriteInput): Promise<RewriteNote> {
  const { run, heartbeatSeconds, control, place, policy, base } = input;
  const act = gpuActivities(heartbeatSeconds).selfRewrite;
  const summary = `g${place.generation} / s${place.stageIndex} / self-rewrite`;
  return listenToParent(run, control).run(() => act.executeWithOptions({ summary }, [run, place, policy, base]));
}
