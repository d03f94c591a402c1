// Whitening of advantages, once per iteration over its action tokens. Called by policy refine before the loss.
//   (A - mean) / sqrt(var + 1e-8), var with n - 1;  n = 1: unwhitened;  n = 0: null, the caller skips with a reason
// Source: docs/formulas.md: ours.

import {
  actionPositions,
  at,
  requireSameLength,
  scatterPositions,
  selectPositions,
  type Vector,
} from './action-mask.ts';
import { requireFinite } from './checks.ts';

const EPSILON = 1e-8;

/** `[T]` -> `[T]`, 0 where the mask is 0; null if no token is an action token. */
export function whiten(advantages: Vector, actionMask: Vector): Float64Array | null {
  requireSameLength('whiten', { advantages, actionMask });
  const positions = actionPositions(actionMask);
  const whitened = whitenSelected(selectPositions(advantages, positions));
  return whitened === null ? null : scatterPositions(whitened, positions, actionMask.length);
}

/** The same over the selected action tokens `[N]`. */
export function whitenSelected(advantages: Vector): Float64Array | null {
  const n = advantages.length;
  const a = Float64Array.from(advantages);
  a.forEach((value, i) => requireFinite('whiten: advantage', value, i));
  if (n === 0) return null;
  if (n === 1) return a;
  const mean = a.reduce((sum, x) => sum + x, 0) / n;
  const variance = a.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
  const scale = Math.sqrt(variance + EPSILON);
  return a.map((x) => (x - mean) / scale);
}

/**
 * False if max|A| = 0 before whitening: then the actor does not step at all, for decay, momentum, KL and entropy would
 * still move its weights.
 */
export function hasLearningSignal(advantages: Vector, actionMask: Vector): boolean {
  requireSameLength('hasLearningSignal', { advantages, actionMask });
  return actionPositions(actionMask).some((t) => at(advantages, t, 'hasLearningSignal') !== 0);
}
