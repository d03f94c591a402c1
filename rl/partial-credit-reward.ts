// Plain partial credit: what SPR is compared with (reward.successPrioritized = false). Called when a trajectory is scored.
//   R = q - c * turns / turnLimit - d * [limit hit]     success or not   (c = turnCost, d = limitPenalty, q = raw progress)
// Ours (docs/formulas.md). Costs are SPR's, paid by all; what is missing is the gap between success and failure: a quick
// failure with most checks may be worth more than a slow success.

import { requireCount, requireInRange } from './checks.ts';
import type { RewardSettings } from './success-prioritized-reward.ts';

export interface CreditedEpisode {
  readonly progress: number; // q, raw, 0 .. 1
  readonly turns: number;
  readonly turnLimit: number;
  readonly limitHit: boolean; // ended by one of the task's limits, without `done`
}

export function partialCreditReward(
  episode: CreditedEpisode,
  { turnCost, limitPenalty }: Pick<RewardSettings, 'turnCost' | 'limitPenalty'>,
): number {
  requireInRange('partialCreditReward: turnCost', turnCost, 0, 1);
  requireInRange('partialCreditReward: limitPenalty', limitPenalty, 0, Number.MAX_VALUE);
  const progress = requireInRange('partialCreditReward: progress', episode.progress, 0, 1);
  const turnLimit = requireCount('partialCreditReward: turnLimit', episode.turnLimit, 1);
  const turns = requireCount('partialCreditReward: turns', episode.turns);
  if (turns > turnLimit) {
    throw new RangeError(`partialCreditReward: got ${turns} turns; need at most the limit ${turnLimit}`);
  }
  return progress - (turnCost * turns) / turnLimit - (episode.limitHit ? limitPenalty : 0);
}
