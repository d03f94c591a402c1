// PPO policy loss per action token and its exact derivative with respect to logp.
// Called by policy refine, whose tensors take `gradient` as d(loss)/d(logp) through a custom gradient.
//   rho = exp(clamp(logp - logp_old, -20, 20));  L = max(-A rho, -A clip(rho, 1 - clipLow, 1 + clipHigh))
//   dual clip, A < 0: L = min(L, -A c)
// Source: docs/formulas.md: ours (Schulman et al. 2017; dual clip: Ye et al. 2020).

import {
  actionPositions,
  at,
  requireSameLength,
  scatterPositions,
  selectPositions,
  type Vector,
} from './action-mask.ts';
import { clamp, requireFinite, requireInRange } from './checks.ts';

/** |logp - logp_old| beyond this is cut: exp(20) is the largest ratio that a float32 loss bears. */
export const LOG_RATIO_CLAMP = 20;

export interface PolicyLossInput {
  readonly logProbs: Vector; // [N] over the selected action tokens
  readonly oldLogProbs: Vector; // [N]
  readonly advantages: Vector; // [N]
  readonly clipLow: number; // 0 .. 1
  readonly clipHigh: number; // >= 0
  readonly dualClip: number | null; // c > 1; null = off
  readonly importanceWeights?: Vector; // [N], multiplied in; no gradient flows through them
}

export interface PolicyLoss {
  readonly perToken: Float64Array; // [N]
  readonly gradient: Float64Array; // [N], d perToken[i] / d logProbs[i]
  readonly clipFraction: number; // share of tokens on the clipped branch; 0 if there are none
  readonly dualClipFraction: number; // share cut by the dual clip; 0 if there are none
}

export function policyLoss(input: PolicyLossInput): PolicyLoss {
  const { logProbs, oldLogProbs, advantages } = input;
  const importanceWeights = input.importanceWeights ?? new Float64Array(logProbs.length).fill(1);
  requireSameLength('policyLoss', { logProbs, oldLogProbs, advantages, importanceWeights });
  requireInRange('policyLoss: clipLow', input.clipLow, 0, 1);
  requireInRange('policyLoss: clipHigh', input.clipHigh, 0, Number.MAX_VALUE);
  if (input.dualClip !== null) requireInRange('policyLoss: dualClip', input.dualClip, 1, Number.MAX_VALUE);
  const perToken = new Float64Array(logProbs.length);
  const gradient = new Float64Array(logProbs.length);
  let clipped = 0;
  let dualClipped = 0;
  for (let i = 0; i < perToken.length; i++) {
    const logRatio =
      requireFinite('policyLoss: logp of token', at(logProbs, i, 'policyLoss'), i) -
      requireFinite('policyLoss: old logp of token', at(oldLogProbs, i, 'policyLoss'), i);
    const advantage = requireFinite('policyLoss: advantage of token', at(advantages, i, 'policyLoss'), i);
    const weight = requireFinite('policyLoss: weight of token', at(importanceWeights, i, 'policyLoss'), i);
    const term = tokenTerm(logRatio, advantage, input);
    if (term.branch === 'clip') clipped += 1;
    if (term.branch === 'dual') dualClipped += 1;
    // `+ 0` turns -0 into 0, so that stored numbers and digests have one zero.
    perToken[i] = weight * term.loss + 0;
    gradient[i] = weight * term.slope + 0;
  }
  const n = Math.max(perToken.length, 1);
  return { perToken, gradient, clipFraction: clipped / n, dualClipFraction: dualClipped / n };
}

interface TokenTerm {
  readonly loss: number;
  readonly slope: number;
  readonly branch: 'plain' | 'clip' | 'dual';
}

function tokenTerm(logRatio: number, advantage: number, input: PolicyLossInput): TokenTerm {
  const rho = Math.exp(clamp(logRatio, -LOG_RATIO_CLAMP, LOG_RATIO_CLAMP));
  const plain = -advantage * rho;
  const clippedLoss = -advantage * clamp(rho, 1 - input.clipLow, 1 + input.clipHigh);
  // The pessimistic one of the two; on a tie rho is inside the clip range, where both have the same slope.
  const isClipped = clippedLoss > plain;
  const loss = isClipped ? clippedLoss : plain;
  const ceiling = input.dualClip !== null && advantage < 0 ? -advantage * input.dualClip : Infinity;
  if (loss > ceiling) return { loss: ceiling, slope: 0, branch: 'dual' };
  // d exp(clamp(x)) / dx is rho inside the clamp and 0 beyond it.
  const slope = isClipped || Math.abs(logRatio) > LOG_RATIO_CLAMP ? 0 : plain;
  return { loss, slope, branch: isClipped ? 'clip' : 'plain' };
}

export interface MaskedPolicyLoss {
  readonly perToken: Float64Array; // [T], 0 where the mask is 0
  readonly gradient: Float64Array; // [T], 0 where the mask is 0
  readonly tokenMean: number | null; // over the action tokens; null if there are none
  readonly clipFraction: number;
}

/** The same over whole token rows `[T]`: selects by mask, scatters back. */
export function maskedPolicyLoss(input: PolicyLossInput & { readonly actionMask: Vector }): MaskedPolicyLoss {
  const { logProbs, oldLogProbs, advantages, actionMask, importanceWeights } = input;
  requireSameLength('maskedPolicyLoss', { logProbs, oldLogProbs, advantages, actionMask });
  const positions = actionPositions(actionMask);
  const selected = policyLoss({
    logProbs: selectPositions(logProbs, positions),
    oldLogProbs: selectPositions(oldLogProbs, positions),
    advantages: selectPositions(advantages, positions),
    clipLow: input.clipLow,
    clipHigh: input.clipHigh,
    dualClip: input.dualClip,
    ...(importanceWeights === undefined ? {} : { importanceWeights: selectPositions(importanceWeights, positions) }),
  });
  return {
    perToken: scatterPositions(selected.perToken, positions, actionMask.length),
    gradient: scatterPositions(selected.gradient, positions, actionMask.length),
    tokenMean: positions.length === 0 ? null : selected.perToken.reduce((sum, l) => sum + l, 0) / positions.length,
    clipFraction: selected.clipFraction,
  };
}
