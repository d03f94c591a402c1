// Success-Prioritized Reward (SPR): the one reward of an episode. Called when a verdict arrives and at configuration load.
//   R = 1 - c * turns / turnLimit     if strict      (c = turnCost)
//   R = b * p - d * [limit hit]       otherwise      (b = partialScale, d = limitPenalty, p = calibrated progress)
// Strict success before partial credit is given, the formula ours (docs/formulas.md).

import { at, requireSameLength, type Vector } from './action-mask.ts';
import { requireCount, requireFinite, requireInRange, requirePositive } from './checks.ts';

export interface RewardSettings {
  readonly turnCost: number; // c, 0 .. 1
  readonly partialScale: number; // b, >= 0
  readonly limitPenalty: number; // d, >= 0
}

export interface EpisodeOutcome {
  readonly strict: boolean;
  readonly progress: number; // p, calibrated, 0 .. 1
  readonly turns: number;
  readonly turnLimit: number;
  readonly limitHit: boolean; // ended by one of the task's limits, without `done`
}

/** q = sum w_i c_i / sum w_i; `checks` are 0 or 1, every weight is > 0. */
export function rawProgress(weights: Vector, checks: Vector): number {
  requireSameLength('rawProgress', { weights, checks });
  if (weights.length === 0) throw new RangeError('rawProgress: got no checks; need at least one');
  let passed = 0;
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    const w = requirePositive(`rawProgress: weight ${i}`, at(weights, i, 'rawProgress'));
    const c = at(checks, i, 'rawProgress');
    if (c !== 0 && c !== 1) throw new RangeError(`rawProgress: got check ${i} = ${c}; need 0 or 1`);
    total += w;
    // Summed in the same order as `total`, so that all checks give exactly 1.
    passed += w * c;
  }
  return passed / total;
}

/** S: every check passes and, for the built-in families, the episode ended by `done` (which is no check). */
export function isStrict(checks: Vector, endedByDone: boolean): boolean {
  return endedByDone && checks.length > 0 && Array.from(checks).every((c) => c === 1);
}

/** A Harbor task without check report: S iff reward >= 1, q = the reward clamped to [0, 1]. */
export function progressOfPlainReward(reward: number): { readonly strict: boolean; readonly progress: number } {
  requireFinite('progressOfPlainReward', reward);
  return { strict: reward >= 1, progress: Math.min(Math.max(reward, 0), 1) };
}

export function successPrioritizedReward(outcome: EpisodeOutcome, settings: RewardSettings): number {
  requireSettings(settings);
  const turnLimit = requireCount('successPrioritizedReward: turnLimit', outcome.turnLimit, 1);
  const turns = requireCount('successPrioritizedReward: turns', outcome.turns);
  if (turns > turnLimit) {
    throw new RangeError(`successPrioritizedReward: got ${turns} turns; need at most the limit ${turnLimit}`);
  }
  if (outcome.strict) return 1 - (settings.turnCost * turns) / turnLimit;
  const progress = requireInRange('successPrioritizedReward: progress', outcome.progress, 0, 1);
  return settings.partialScale * progress - (outcome.limitHit ? settings.limitPenalty : 0);
}

export interface RewardOrderingInput extends RewardSettings {
  readonly turnLimit: number;
  readonly gamma: number;
  /** Any scaling, clipping or length term that is applied to R before training; monotone. */
  readonly transform?: (reward: number) => number;
}

/**
 * The invariant, as a message with both numbers, or null if it holds: the worst strict success beats the best failure,
 * on R (after `transform`) and on the discounted return of turn 1.
 */
export function rewardOrderingProblem(input: RewardOrderingInput): string | null {
  requireSettings(input);
  requireCount('rewardOrdering: turnLimit', input.turnLimit, 1);
  requireInRange('rewardOrdering: gamma', input.gamma, 0, 1);
  const transform = input.transform ?? ((reward: number) => reward);
  const worstSuccess = transform(1 - input.turnCost);
  const bestFailure = transform(input.partialScale);
  if (!(worstSuccess > bestFailure)) {
    return `reward order: got worst success ${worstSuccess}, best failure ${bestFailure}; need success > failure`;
  }
  const discount = input.gamma ** (input.turnLimit - 1);
  const discounted = discount * (1 - input.turnCost);
  if (!(discounted > input.partialScale)) {
    return (
      `reward order: got gamma^(turnLimit-1) * (1-c) = ${discounted}, b = ${input.partialScale}; ` +
      'need the first > the second (raise gamma, or lower the turn limit, c or b)'
    );
  }
  return null;
}

/** Throws the message of `rewardOrderingProblem`, if there is one. */
export function assertRewardOrdering(input: RewardOrderingInput): void {
  const problem = rewardOrderingProblem(input);
  if (problem !== null) throw new RangeError(problem);
}

function requireSettings(settings: RewardSettings): void {
  requireInRange('reward: turnCost', settings.turnCost, 0, 1);
  requireInRange('reward: partialScale', settings.partialScale, 0, Number.MAX_VALUE);
  requireInRange('reward: limitPenalty', settings.limitPenalty, 0, Number.MAX_VALUE);
}
