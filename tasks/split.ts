/**
 * Which split a task belongs to, decided by what it says and nothing else: the same text is in the same split for
 * every seed, run and machine, so the splits are disjoint by construction (docs/formulas.md).
 * The built-in generator hands in the instruction alone, which is stricter than instruction and files together: no
 * prompt of one split is ever met in another, whatever lies in the files.
 */
import { digestOfText } from '../contracts/digest.ts';
import type { Split } from '../contracts/task.ts';

export const SPLITS: readonly Split[] = ['train', 'selection', 'held-out'];

const BUCKETS = 10;

/** Train 80 %, selection 10 %, held-out 10 %. */
export function splitOf(content: string): Split {
  const bucket = Number.parseInt(digestOfText(content).slice(0, 8), 16) % BUCKETS;
  if (bucket < BUCKETS - 2) return 'train';
  return bucket === BUCKETS - 2 ? 'selection' : 'held-out';
}
