// Learning rate by optimizer step. Called by every update loop; a handoff starts again at step 0, a resume does not.
//   warm-up: base * (step + 1) / warmupSteps;  then constant, or linear from 1 to finalFraction at totalSteps
// Stage-specific learning rates are given, these shapes ours (docs/formulas.md).

import { requireCount, requireInRange } from './checks.ts';

export type Schedule =
  | { readonly kind: 'constant'; readonly base: number; readonly warmupSteps: number }
  | {
      readonly kind: 'linear';
      readonly base: number;
      readonly warmupSteps: number;
      readonly totalSteps: number; // of the stage, warm-up included
      readonly finalFraction: number; // of `base`, 0 .. 1
    };

/** `step` counts from 0; beyond totalSteps the rate stays at its end. */
export function learningRate(schedule: Schedule, step: number): number {
  requireCount('learningRate: step', step);
  requireInRange('learningRate: base', schedule.base, 0, Number.MAX_VALUE);
  requireCount('learningRate: warmupSteps', schedule.warmupSteps);
  if (schedule.kind === 'linear') {
    requireCount('learningRate: totalSteps', schedule.totalSteps, 1);
    requireInRange('learningRate: finalFraction', schedule.finalFraction, 0, 1);
    requireInRange('learningRate: warmupSteps', schedule.warmupSteps, 0, schedule.totalSteps);
  }
  if (step < schedule.warmupSteps) return (schedule.base * (step + 1)) / schedule.warmupSteps;
  switch (schedule.kind) {
    case 'constant':
      return schedule.base;
    case 'linear': {
      const span = schedule.totalSteps - schedule.warmupSteps;
      const done = span === 0 ? 1 : Math.min(1, (step - schedule.warmupSteps) / span);
      return schedule.base * (1 - done + schedule.finalFraction * done);
    }
  }
}
