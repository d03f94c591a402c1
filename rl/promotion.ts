// Promotion of a generation against the best promoted one, on selection tasks with the same seeds. Called by evaluation.
// Refused if the exact one-sided McNemar p against it is < 0.05, or its rate is more than 0.05 below.
// Source: docs/formulas.md: ours.

import { mcNemar } from './mcnemar.ts';

/** One (task, seed) under both policies: strict or not; null = no verdict. */
export interface PromotionPair {
  readonly best: boolean | null;
  readonly candidate: boolean | null;
}

export interface PromotionSettings {
  readonly significance: number; // default 0.05
  readonly rateTolerance: number; // default 0.05
}

export type PromotionReason = 'first' | 'not-worse' | 'no-verdicts' | 'significant-loss' | 'rate-below-best';

export interface PromotionDecision {
  readonly promoted: boolean;
  readonly reason: PromotionReason;
  readonly newBest: boolean; // promoted with a higher rate than the best so far
  readonly gained: number;
  readonly lost: number;
  readonly p: number; // one-sided, against the candidate
  readonly candidateRate: number | null; // strict / verified
  readonly bestRate: number | null;
}

/** Rates such as 0.55 and 0.50 differ by 0.05 + 4e-17 in floating point; that is not "more than". */
const ROUNDING = 1e-12;

/** `pairs` = null: there is no promoted generation yet. */
export function decidePromotion(
  pairs: readonly PromotionPair[] | null,
  settings: PromotionSettings = { significance: 0.05, rateTolerance: 0.05 },
): PromotionDecision {
  if (pairs === null) {
    const none = { gained: 0, lost: 0, p: 1, candidateRate: null, bestRate: null };
    return { promoted: true, reason: 'first', newBest: true, ...none };
  }
  const gained = pairs.filter((pair) => pair.best === false && pair.candidate === true).length;
  const lost = pairs.filter((pair) => pair.best === true && pair.candidate === false).length;
  const p = mcNemar(gained, lost).oneSidedLoss;
  const candidateRate = strictRate(pairs.map((pair) => pair.candidate));
  const bestRate = strictRate(pairs.map((pair) => pair.best));
  const measured = { gained, lost, p, candidateRate, bestRate };
  const refuse = (reason: PromotionReason): PromotionDecision => ({
    promoted: false,
    reason,
    newBest: false,
    ...measured,
  });
  // Nothing was measured on one side: a promotion would rest on nothing.
  if (candidateRate === null || bestRate === null) return refuse('no-verdicts');
  if (p < settings.significance) return refuse('significant-loss');
  if (bestRate - candidateRate > settings.rateTolerance + ROUNDING) return refuse('rate-below-best');
  return { promoted: true, reason: 'not-worse', newBest: candidateRate > bestRate + ROUNDING, ...measured };
}

function strictRate(outcomes: readonly (boolean | null)[]): number | null {
  const verified = outcomes.filter((outcome) => outcome !== null);
  return verified.length === 0 ? null : verified.filter(Boolean).length / verified.length;
}
