/** One generation of a run: its stages in their order, evaluation, promotion or rollback (training/recursion.ts). */
import { workflowInfo } from '@temporalio/workflow';
import { oneGeneration, type RecursionPlan, type RunState } from '../training/recursion.ts';
import { durableSteps } from './durable-steps.ts';
import { listenToParent, tellRun } from './stage-control.ts';
import type { StageInput } from './stage-input.ts';

export interface GenerationInput extends StageInput {
  readonly plan: RecursionPlan;
  readonly generation: number;
  readonly state: RunState;
  /** Families that were added since the generation before. */
  readonly joining: readonly string[];
}

export async function generation(input: GenerationInput): Promise<RunState> {
  const { run, heartbeatSeconds, control, plan, generation: number, state, joining } = input;
  const own = listenToParent(run, control);
  const { workflowId } = workflowInfo();
  const steps = durableSteps({
    ...{ run, heartbeatSeconds, control: own, workflowId, joining },
    tell: (what) => tellRun(run, what),
  });
  return oneGeneration(plan, steps, number, state);
}
