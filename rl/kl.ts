// KL estimators to the stage's start policy, and the adaptive coefficient. Called by policy refine and the stop rules.
//   x = logp - logp_ref clamped to +-20;  k1 = x;  k2 = x^2 / 2;  k3 = exp(-x) + x - 1 >= 0
//   d k3 / d logp = 1 - exp(-x) inside the clamp, 0 beyond it
// Source: docs/formulas.md: ours (estimators: Schulman 2020).

import { at, requireSameLength, type Vector } from './action-mask.ts';
import { clamp, requireFinite, requireInRange, requirePositive } from './checks.ts';

const LOG_RATIO_CLAMP = 20;

export interface KlTerms {
  readonly k1: number;
  readonly k2: number;
  readonly k3: number;
  readonly k3Gradient: number; // d k3 / d logp
}

/** All estimators of one token, from logRatio = logp - logp_ref. */
export function klTerms(logRatio: number): KlTerms {
  requireFinite('klTerms: logRatio', logRatio);
  const x = clamp(logRatio, -LOG_RATIO_CLAMP, LOG_RATIO_CLAMP);
  // expm1 keeps the digits that exp(-x) - 1 loses near x = 0, where training spends its time.
  const shifted = Math.expm1(-x);
  return {
    k1: x,
    k2: (x * x) / 2,
    k3: shifted + x,
    k3Gradient: Math.abs(logRatio) > LOG_RATIO_CLAMP ? 0 : 0 - shifted,
  };
}

export interface KlPenalty {
  readonly perToken: Float64Array; // [N], k3
  readonly gradient: Float64Array; // [N], d k3 / d logProbs
  readonly mean: number | null; // nats per token; null if there are none
}

/** k3 over the selected action tokens `[N]`; the loss term is coefficient * perToken. */
export function klPenalty(logProbs: Vector, referenceLogProbs: Vector): KlPenalty {
  requireSameLength('klPenalty', { logProbs, referenceLogProbs });
  const perToken = new Float64Array(logProbs.length);
  const gradient = new Float64Array(logProbs.length);
  for (let i = 0; i < perToken.length; i++) {
    const terms = klTerms(at(logProbs, i, 'klPenalty') - at(referenceLogProbs, i, 'klPenalty'));
    perToken[i] = terms.k3;
    gradient[i] = terms.k3Gradient;
  }
  const mean = perToken.length === 0 ? null : perToken.reduce((sum, k) => sum + k, 0) / perToken.length;
  return { perToken, gradient, mean };
}

/** coefficient * (1 + clip(KL / target - 1, -0.2, 0.2)); the caller resets it at each stage. */
export function adaptiveKlCoefficient(coefficient: number, kl: number, target: number): number {
  requireInRange('adaptiveKlCoefficient: coefficient', coefficient, 0, Number.MAX_VALUE);
  requireFinite('adaptiveKlCoefficient: kl', kl);
  requirePositive('adaptiveKlCoefficient: target', target);
  return coefficient * (1 + clamp(kl / target - 1, -0.2, 0.2));
}
