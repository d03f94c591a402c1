// Truncated importance weight for the gap between sampling and training numerics: min(pi_old / pi_sampled, 2).
// Called once per iteration by policy refine; no gradient flows through it, its statistics are reported.
// Source: docs/formulas.md: ours.

import { at, requireSameLength, type Vector } from './action-mask.ts';
import { clamp, requireFinite, requirePositive } from './checks.ts';

export interface ImportanceWeights {
  readonly weights: Float64Array; // [N] over the selected action tokens
  readonly mean: number | null; // null if there are none
  readonly truncatedFraction: number; // 0 if there are none
}

export function importanceWeights(oldLogProbs: Vector, sampledLogProbs: Vector, ceiling = 2): ImportanceWeights {
  requireSameLength('importanceWeights', { oldLogProbs, sampledLogProbs });
  requirePositive('importanceWeights: ceiling', ceiling);
  let truncated = 0;
  const weights = Float64Array.from({ length: oldLogProbs.length }, (_, i) => {
    const old = requireFinite('importanceWeights: old logp of token', at(oldLogProbs, i, 'importanceWeights'), i);
    const sampled = at(sampledLogProbs, i, 'importanceWeights');
    requireFinite('importanceWeights: sampled logp of token', sampled, i);
    const ratio = Math.exp(clamp(old - sampled, -20, 20));
    if (ratio > ceiling) truncated += 1;
    return Math.min(ratio, ceiling);
  });
  const n = weights.length;
  return {
    weights,
    mean: n === 0 ? null : weights.reduce((sum, w) => sum + w, 0) / n,
    truncatedFraction: truncated / Math.max(n, 1),
  };
}
