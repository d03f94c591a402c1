// One seeded stream of random numbers; one per episode, so that sampling never depends on who shares a batch.
// Called wherever chance enters: sampling, shuffles, bootstrap. State can be stored and restored for a resume.
// Generator: xoroshiro128+ of pure-rand (docs/formulas.md: ours).

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import { at, type Vector } from './action-mask.ts';
import { requireCount, requireInRange, requirePositive } from './checks.ts';

/** Four 32-bit words: plain JSON. */
export type RandomState = readonly [number, number, number, number];

export interface RandomStream {
  /** In [0, 1), a multiple of 2^-53. */
  readonly uniform: () => number;
  /** 0 .. n-1 without bias. */
  readonly int: (n: number) => number;
  /** A shuffled copy. */
  readonly shuffle: <T>(items: readonly T[]) => T[];
  /** One of the items. */
  readonly pick: <T>(items: readonly T[]) => T;
  /** An index with probability proportional to its weight; an index of weight 0 is never drawn. */
  readonly weighted: (weights: Vector) => number;
  readonly state: () => RandomState;
}

/** `seed`: an integer 0 .. 2^53-1, as derived by hashing. */
export function randomStream(seed: number): RandomStream {
  requireCount('randomStream: seed', seed);
  return restoreRandomStream(expandSeed(seed));
}

/** Continues a stream from `state()`. */
export function restoreRandomStream(state: RandomState): RandomStream {
  if (state.length !== 4 || !state.every((word) => Number.isInteger(word)) || state.every((word) => word === 0)) {
    throw new RangeError(`restoreRandomStream: got [${state.join(', ')}]; need four integers, not all 0`);
  }
  const generator = xoroshiro128plusFromState(state.map((word) => word | 0));
  const uniform = (): number => uniformFloat64(generator);
  const int = (n: number): number => uniformInt(generator, 0, requireCount('RandomStream.int: n', n, 1) - 1);
  return {
    uniform,
    int,
    shuffle: (items) => shuffleWith(int, items),
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new RangeError('RandomStream.pick: got no items; need at least one');
      return items[int(items.length)] as T;
    },
    weighted: (weights) => weightedIndex(uniform(), weights),
    state: () => {
      const [a = 0, b = 0, c = 0, d = 0] = generator.getState();
      return [a, b, c, d];
    },
  };
}

/**
 * The package's own seeding puts 32 bits of the seed almost unmixed into the state, so that close seeds give close
 * first numbers and seeds 2^32 apart the same stream. Hence murmur3's finaliser over all 53 bits.
 */
function expandSeed(seed: number): RandomState {
  const low = seed >>> 0;
  const high = Math.floor(seed / 0x1_0000_0000);
  const word = (i: number): number => mix(mix(mix(0x9e3779b9 * (i + 1)) ^ low) ^ high) | 0;
  // The last word is never 0: an all-zero state would only give zeros.
  return [word(0), word(1), word(2), word(3) | 1];
}

function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/** Fisher-Yates from the end. */
function shuffleWith<T>(int: (n: number) => number, items: readonly T[]): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = int(i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}

function weightedIndex(u: number, weights: Vector): number {
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    total += requireInRange(`RandomStream.weighted: weight ${i}`, at(weights, i, 'weighted'), 0, Number.MAX_VALUE);
  }
  requirePositive('RandomStream.weighted: sum of weights', total);
  let left = u * total;
  let last = -1;
  for (let i = 0; i < weights.length; i++) {
    const w = at(weights, i, 'weighted');
    if (w === 0) continue;
    if (left < w) return i;
    left -= w;
    last = i; // rounding may leave `left` at the very end: then the last index with a weight
  }
  return last;
}
