/** The evaluation of a policy: selection tasks decide promotion, held-out tasks are only reported. */
import type { EvaluationNote } from '../activities/run-ref.ts';
import { gpuActivities } from './run-activities.ts';
import { listenToParent } from './stage-control.ts';
import type { EvaluateInput } from './stage-input.ts';

export async function evaluate(input: EvaluateInput): Promise<EvaluationNote> {
  const { run, heartbeatSeconds, control, generation, policy } = input;
  const act = gpuActivities(heartbeatSeconds).evaluate;
  const summary = `g${generation} / evaluate`;
  return listenToParent(run, control).run(() => act.executeWithOptions({ summary }, [run, generation, policy]));
}
