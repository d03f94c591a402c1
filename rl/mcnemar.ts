// Exact McNemar test on the discordant pairs of two policies over the same tasks. Called by movement-table.ts, promotion.ts.
//   twoSided = min(1, 2 P(X <= min(gained, lost))), oneSidedLoss = P(X <= gained), X ~ Binomial(gained + lost, 1/2)
// Source: docs/formulas.md: ours.

import { at } from './action-mask.ts';
import { requireCount } from './checks.ts';

export interface McNemar {
  readonly twoSided: number;
  readonly oneSidedLoss: number; // small = the new policy loses more than chance explains
}

export function mcNemar(gained: number, lost: number): McNemar {
  requireCount('mcNemar: gained', gained);
  requireCount('mcNemar: lost', lost);
  const n = gained + lost;
  return {
    twoSided: Math.min(1, 2 * binomialHalfCdf(n, Math.min(gained, lost))),
    oneSidedLoss: binomialHalfCdf(n, gained),
  };
}

/**
 * P(X <= k) for X ~ Binomial(n, 1/2). Terms are built outwards from the mode by their ratios and normalised by their
 * sum: neither C(n, k) nor 2^n is ever formed, so large n neither overflow nor lose digits.
 */
export function binomialHalfCdf(n: number, k: number): number {
  requireCount('binomialHalfCdf: n', n);
  if (k < 0) return 0;
  if (k >= n) return 1;
  const mode = Math.floor(n / 2);
  const terms = new Float64Array(n + 1);
  terms[mode] = 1;
  for (let i = mode; i > 0; i--) terms[i - 1] = (at(terms, i, 'binomial') * i) / (n - i + 1);
  for (let i = mode; i < n; i++) terms[i + 1] = (at(terms, i, 'binomial') * (n - i)) / (i + 1);
  let below = 0;
  let above = 0;
  terms.forEach((term, i) => {
    if (i <= k) below += term;
    else above += term;
  });
  return below / (below + above);
}
