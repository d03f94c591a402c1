// Family Dense Reward (FDR): potential shaping by calibrated progress. Called when a trajectory is scored.
//   Phi_0 = w_F * p of the untouched task, Phi_k = w_F * p_k after turn k < K, Phi_K = 0 (terminal)
//   F_k = gamma * Phi_k - Phi_{k-1}, paid on the last action token of turn k
// Dense family-calibrated progress is given, the potential form ours (docs/formulas.md; Ng et al. 1999).

import { at, type Vector } from './action-mask.ts';
import { requireFinite, requireInRange } from './checks.ts';

export interface PotentialInput {
  /**
   * Calibrated progress p_k, `[K + 1]`: entry 0 the untouched task, entry k after turn k. null = the probe failed: it
   * takes the former value (0 before the first). The last entry is read only if the trajectory is truncated.
   */
  readonly progress: readonly (number | null)[];
  readonly familyWeight: number; // w_F, >= 0
  readonly terminated: boolean;
}

/** Phi_0 .. Phi_K, `[K + 1]`. Each is computed once and used in both neighbours. */
export function potentials(input: PotentialInput): Float64Array {
  const { progress, familyWeight } = input;
  requireInRange('potentials: familyWeight', familyWeight, 0, Number.MAX_VALUE);
  if (progress.length === 0) throw new RangeError('potentials: got no probe; need that of the untouched task');
  const phi = new Float64Array(progress.length);
  let current = 0;
  progress.forEach((p, k) => {
    if (p !== null) current = requireInRange(`potentials: progress after turn ${k}`, p, 0, 1);
    phi[k] = familyWeight * current;
  });
  // A terminal potential of 0 is what makes the shaping unable to move the optimum.
  if (input.terminated) phi[phi.length - 1] = 0;
  return phi;
}

/** F_1 .. F_K, `[K]`, from Phi_0 .. Phi_K. */
export function shapingRewards(phi: Vector, gamma: number): Float64Array {
  requireInRange('shapingRewards: gamma', gamma, 0, 1);
  return Float64Array.from(
    { length: Math.max(phi.length - 1, 0) },
    (_, k) => gamma * at(phi, k + 1, 'shapingRewards') - at(phi, k, 'shapingRewards'),
  );
}

export interface TurnRewardsInput {
  readonly turns: number; // K
  readonly probes: readonly (number | null)[] | null; // as `progress` above; null = the sandbox cannot be probed
  readonly familyWeight: number;
  readonly gamma: number;
  readonly terminated: boolean;
  readonly reward: number; // R; must be 0 while truncated
}

/** What enters the GAE at the last action token of each turn, `[K]`: F_k, plus R at the last one. */
export function turnRewards(input: TurnRewardsInput): Float64Array {
  requireFinite('turnRewards: reward', input.reward);
  if (!input.terminated && input.reward !== 0) {
    throw new RangeError(`turnRewards: got reward ${input.reward} of a truncated trajectory; need 0`);
  }
  const out = input.probes === null ? new Float64Array(input.turns) : shaped(input, input.probes);
  if (out.length > 0) out[out.length - 1] = at(out, out.length - 1, 'turnRewards') + input.reward;
  return out;
}

/** Spreads per-turn rewards over tokens: turn k's on its last action token, 0 elsewhere; `[T]`. */
export function tokenRewards(perTurn: Vector, actionMask: Vector, turnIds: Vector): Float64Array {
  const out = new Float64Array(actionMask.length);
  let turn = perTurn.length;
  let later: number | null = null;
  for (let t = actionMask.length - 1; t >= 0; t--) {
    if (actionMask[t] !== 1) continue;
    const id = at(turnIds, t, 'tokenRewards');
    if (id !== later) {
      turn -= 1;
      if (turn < 0) throw new RangeError(`tokenRewards: got ${perTurn.length} turn rewards; need one for each turn`);
      out[t] = at(perTurn, turn, 'tokenRewards');
      later = id;
    }
  }
  if (turn !== 0)
    throw new RangeError(`tokenRewards: got ${perTurn.length} turn rewards; need ${perTurn.length - turn}`);
  return out;
}

function shaped(input: TurnRewardsInput, probes: readonly (number | null)[]): Float64Array {
  if (probes.length !== input.turns + 1) {
    throw new RangeError(
      `turnRewards: got ${probes.length} probes; need ${input.turns + 1} (turns + the untouched task)`,
    );
  }
  const phi = potentials({ progress: probes, familyWeight: input.familyWeight, terminated: input.terminated });
  return shapingRewards(phi, input.gamma);
}
