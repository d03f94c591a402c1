// Explained variance of the critic: EV = 1 - Var(R - V) / Var(R) over tokens. Called by warm-up, handoff and reports.
// null where it is undefined, that is Var(R) <= 1e-12 (fewer than two tokens included).
// Source: docs/formulas.md: ours.

import { at, requireSameLength, type Vector } from './action-mask.ts';
import { requireFinite } from './checks.ts';

const SMALLEST_VARIANCE = 1e-12;

export function explainedVariance(returns: Vector, values: Vector): number | null {
  requireSameLength('explainedVariance', { returns, values });
  const targets = Float64Array.from(returns);
  const residuals = targets.map((r, i) => {
    requireFinite('explainedVariance: return', r, i);
    return r - requireFinite('explainedVariance: value', at(values, i, 'explainedVariance'), i);
  });
  const total = variance(targets);
  return total <= SMALLEST_VARIANCE ? null : 1 - variance(residuals) / total;
}

/** With divisor n; 0 for no element. The divisor cancels in the ratio above. */
function variance(x: Float64Array): number {
  if (x.length === 0) return 0;
  const mean = x.reduce((sum, v) => sum + v, 0) / x.length;
  return x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / x.length;
}
