// Value loss per token and its exact derivative with respect to V. Called by the critic's updates.
//   clipped (policy refine):           0.5 * max((V - R)^2, (clip(V, V_old - clip, V_old + clip) - R)^2)
//   plain (warm-up, re-calibration):   0.5 * (V - R)^2
// Source: docs/formulas.md: ours.

import { at, requireSameLength, type Vector } from './action-mask.ts';
import { clamp, requireFinite, requireInRange } from './checks.ts';

export interface ValueLossInput {
  readonly values: Vector; // [N] over the selected tokens
  readonly oldValues: Vector; // [N], V when the batch was sampled; not read if `clip` is null
  readonly returns: Vector; // [N]
  readonly clip: number | null; // >= 0; null = plain
}

export interface ValueLoss {
  readonly perToken: Float64Array; // [N]
  readonly gradient: Float64Array; // [N], d perToken[i] / d values[i]
  readonly clipFraction: number; // share of tokens on the clipped branch; 0 if there are none
}

export function valueLoss(input: ValueLossInput): ValueLoss {
  const { values, returns, clip } = input;
  const oldValues = clip === null ? values : input.oldValues;
  requireSameLength('valueLoss', { values, oldValues, returns });
  if (clip !== null) requireInRange('valueLoss: clip', clip, 0, Number.MAX_VALUE);
  const perToken = new Float64Array(values.length);
  const gradient = new Float64Array(values.length);
  let clipped = 0;
  for (let i = 0; i < perToken.length; i++) {
    const value = requireFinite('valueLoss: value of token', at(values, i, 'valueLoss'), i);
    const old = requireFinite('valueLoss: old value of token', at(oldValues, i, 'valueLoss'), i);
    const target = requireFinite('valueLoss: return of token', at(returns, i, 'valueLoss'), i);
    const error = value - target;
    const clippedError = clip === null ? error : clamp(value, old - clip, old + clip) - target;
    // On the clipped branch the clamp holds V fixed, so the derivative is 0.
    const isClipped = clippedError ** 2 > error ** 2;
    perToken[i] = 0.5 * (isClipped ? clippedError : error) ** 2;
    gradient[i] = isClipped ? 0 : error;
    if (isClipped) clipped += 1;
  }
  return { perToken, gradient, clipFraction: clipped / Math.max(perToken.length, 1) };
}
