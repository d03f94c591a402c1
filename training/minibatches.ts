/** How trajectories are dealt into optimizer steps: a seeded shuffle, then neighbours of like length together. */
import type { RandomStream } from '../rl/random-stream.ts';
import type { Sequence } from '../model/sequence-batch.ts';

/** Batches sorted by length within windows of this many: little padding, and the order stays random. */
const WINDOW = 16;

/** Every item once, in batches of `size` (the last may be smaller). */
export function dealMinibatches<T extends Sequence>(items: readonly T[], size: number, stream: RandomStream): T[][] {
  const shuffled = stream.shuffle(items);
  const batches: T[][] = [];
  for (let start = 0; start < shuffled.length; start += size * WINDOW) {
    const window = shuffled.slice(start, start + size * WINDOW);
    window.sort((a, b) => a.tokenIds.length - b.tokenIds.length);
    const dealt: T[][] = [];
    for (let i = 0; i < window.length; i += size) dealt.push(window.slice(i, i + size));
    batches.push(...stream.shuffle(dealt));
  }
  return batches;
}
