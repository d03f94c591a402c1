// Advantage estimators over the action tokens of one trajectory. Called by the policy refine and critic stages.
// Turn-boundary skip-observation GAE (TB-GAE), from the last action token to the first:
//   (g, l) = (gamma, lambda) at the last action token of a turn, else (1, 1)
//   delta = r + g * V_next - V;  A = delta + g * l * A_next;  R = A + V
// Source: docs/formulas.md: decay across turns and token baselines given, the formula ours.
// Beside it by name: `token` (masked token GAE) and `turn` (one step a turn, broadcast).

import {
  actionPositions,
  at,
  requireSameLength,
  scatterPositions,
  selectPositions,
  type Vector,
} from './action-mask.ts';
import { clamp, requireCount, requireFinite, requireInRange, requirePositive } from './checks.ts';

export type Estimator = 'tb' | 'token' | 'turn';

export interface AdvantageInput {
  readonly rewards: Vector; // [T], 0 where the mask is 0
  readonly values: Vector; // [T], V of the state before token t is sampled; anything where the mask is 0
  readonly actionMask: Vector; // [T], 1 = sampled by the policy
  readonly turnIds: Vector; // [T], never falls over the action tokens; only its changes matter
  readonly gamma: number;
  readonly lambda: number;
  readonly criticLambda: number | null; // lambda of the returns; null = same as `lambda`
  readonly terminated: boolean; // false = truncated: the rollout cut it, no final reward yet
  readonly bootstrapValue: number; // V(s_T); read only if truncated
}

export interface Advantages {
  readonly advantages: Float64Array; // [T], 0 where the mask is 0
  readonly returns: Float64Array; // [T], 0 where the mask is 0; `turn`: 0 off each turn's first token too
}

/** One backward chain: what all estimators share. Arrays are over the N steps of the chain. */
interface Chain {
  readonly rewards: Float64Array;
  readonly values: Float64Array;
  readonly ends: Uint8Array; // 1 where gamma and lambda apply after this step
  readonly afterLast: number; // V after the last step
}

export function estimateAdvantages(input: AdvantageInput & { readonly estimator: Estimator }): Advantages {
  switch (input.estimator) {
    case 'tb':
      return turnBoundaryGae(input);
    case 'token':
      return tokenGae(input);
    case 'turn':
      return turnGae(input);
  }
}

/** TB-GAE: gamma and lambda act only across turns; each token keeps its own baseline. */
export function turnBoundaryGae(input: AdvantageInput): Advantages {
  const { positions, chain, turnEnds } = selectActions(input);
  return solve(input, positions, { ...chain, ends: turnEnds });
}

/** Masked token GAE: every action token is a step, observations are skipped. */
export function tokenGae(input: AdvantageInput): Advantages {
  const { positions, chain } = selectActions(input);
  return solve(input, positions, { ...chain, ends: new Uint8Array(positions.length).fill(1) });
}

/** One step a turn: r = sum over the turn, V of its first token; the advantage is broadcast to its tokens. */
export function turnGae(input: AdvantageInput): Advantages {
  const { positions, chain, turnEnds } = selectActions(input);
  const starts: number[] = []; // index into the action tokens
  const sums: number[] = [];
  chain.rewards.forEach((r, i) => {
    if (i === 0 || turnEnds[i - 1] === 1) {
      starts.push(i);
      sums.push(0);
    }
    sums[sums.length - 1] = at(sums, sums.length - 1, 'turnGae') + r;
  });
  const firstPositions = starts.map((i) => at(positions, i, 'turnGae'));
  const perTurn = solve(input, firstPositions, {
    rewards: Float64Array.from(sums),
    values: selectPositions(chain.values, starts),
    ends: new Uint8Array(starts.length).fill(1),
    afterLast: chain.afterLast,
  });
  const advantages = new Float64Array(input.actionMask.length);
  starts.forEach((start, k) => {
    const a = at(perTurn.advantages, at(firstPositions, k, 'turnGae'), 'turnGae');
    for (const t of positions.slice(start, starts[k + 1] ?? positions.length)) advantages[t] = a;
  });
  return { advantages, returns: perTurn.returns };
}

/** lambda = 1 - 1/(alpha * turns) clamped to [0, 1]: long episodes decay less per turn. Off by default; alpha 2. */
export function adaptiveLambda(alpha: number, turns: number): number {
  requirePositive('adaptiveLambda: alpha', alpha);
  requireCount('adaptiveLambda: turns', turns);
  return turns === 0 ? 0 : clamp(1 - 1 / (alpha * turns), 0, 1);
}

function selectActions(input: AdvantageInput): {
  positions: number[];
  chain: Omit<Chain, 'ends'>;
  turnEnds: Uint8Array;
} {
  const { rewards, values, actionMask, turnIds } = input;
  requireSameLength('gae', { rewards, values, actionMask, turnIds });
  requireInRange('gae: gamma', input.gamma, 0, 1);
  requireInRange('gae: lambda', input.lambda, 0, 1);
  if (input.criticLambda !== null) requireInRange('gae: criticLambda', input.criticLambda, 0, 1);
  const positions = actionPositions(actionMask);
  for (let t = 0; t < rewards.length; t++) {
    // A reward on an observation would silently vanish: the caller meant the turn's last action token.
    if (actionMask[t] === 0 && rewards[t] !== 0) {
      throw new RangeError(`gae: got reward ${rewards[t]} on masked token ${t}; need 0 off the action tokens`);
    }
  }
  for (const t of positions) {
    requireFinite('gae: reward of token', at(rewards, t, 'gae'), t);
    requireFinite('gae: value of token', at(values, t, 'gae'), t);
  }
  return {
    positions,
    turnEnds: findTurnEnds(positions, turnIds),
    chain: {
      rewards: selectPositions(rewards, positions),
      values: selectPositions(values, positions),
      afterLast: input.terminated ? 0 : requireFinite('gae: bootstrapValue', input.bootstrapValue),
    },
  };
}

/** By turn ids alone: mask gaps and non-zero rewards are no boundaries. */
function findTurnEnds(positions: readonly number[], turnIds: Vector): Uint8Array {
  const ends = new Uint8Array(positions.length);
  positions.forEach((t, i) => {
    const id = requireCount(`gae: turn id of action token ${t}`, at(turnIds, t, 'gae'));
    const next = positions[i + 1];
    const nextId = next === undefined ? undefined : at(turnIds, next, 'gae');
    if (nextId !== undefined && nextId < id) {
      throw new RangeError(`gae: got turn id ${nextId} after ${id} at token ${next}; need ids that never fall`);
    }
    ends[i] = nextId === id ? 0 : 1;
  });
  return ends;
}

function solve(input: AdvantageInput, positions: readonly number[], chain: Chain): Advantages {
  const actor = backward(chain, input.gamma, input.lambda);
  const critic =
    input.criticLambda === null || input.criticLambda === input.lambda
      ? actor
      : backward(chain, input.gamma, input.criticLambda);
  const length = input.actionMask.length;
  return {
    advantages: scatterPositions(actor, positions, length),
    returns: scatterPositions(
      critic.map((a, i) => a + at(chain.values, i, 'gae')),
      positions,
      length,
    ),
  };
}

function backward(chain: Chain, gamma: number, lambda: number): Float64Array {
  const advantages = new Float64Array(chain.rewards.length);
  let nextValue = chain.afterLast;
  let nextAdvantage = 0;
  for (let i = advantages.length - 1; i >= 0; i--) {
    const isEnd = chain.ends[i] === 1;
    const g = isEnd ? gamma : 1;
    const l = isEnd ? lambda : 1;
    const value = at(chain.values, i, 'gae');
    const delta = at(chain.rewards, i, 'gae') + g * nextValue - value;
    nextAdvantage = delta + g * l * nextAdvantage;
    nextValue = value;
    advantages[i] = nextAdvantage;
  }
  return advantages;
}
