/** What the workflow of a stage is started with: one object, as all workflows. */
import type { RunRef } from '../activities/run-ref.ts';
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import type { PromotedState, StagePlace } from '../training/recursion.ts';
import type { ControlState } from './run-control.ts';

export interface StageInput {
  readonly run: RunRef;
  readonly heartbeatSeconds: number;
  /** What people want of the run at that moment. */
  readonly control: ControlState;
}

export interface EvaluateInput extends StageInput {
  readonly generation: number;
  readonly policy: CheckpointRef;
}

export interface WarmUpInput extends StageInput {
  readonly policy: CheckpointRef;
}

export interface RewriteInput extends StageInput {
  readonly place: StagePlace;
  readonly policy: CheckpointRef;
  readonly base: CheckpointRef;
}

export interface RefineInput extends StageInput {
  readonly place: StagePlace;
  readonly policy: CheckpointRef;
  readonly promoted: PromotedState;
}
