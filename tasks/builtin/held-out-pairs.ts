/**
 * Value pairs that training never shows: some file words never stand in some slots of a train task, so that selection
 * and held-out tasks ask whether the policy copies what it reads or repeats what it has seen. One word in six is held
 * out of each slot, another sixth for each of six slots in turn.
 */
import type { SubGoal } from '../../contracts/task.ts';
import { FILE_WORDS } from './vocabulary.ts';

/** Slots of instructions that hold file words. The order defines the pairs: append only. */
const PAIRED_SLOTS = [
  'write.text',
  'write.file',
  'place.text',
  'place.file',
  'config.file',
  'lookup.source',
  'lookup.target',
  'move.from',
  'move.to',
  'perm.file',
  'count.source',
  'count.target',
];

const SLOT_INDEX: ReadonlyMap<string, number> = new Map(PAIRED_SLOTS.map((slot, index) => [slot, index]));
const WORD_INDEX: ReadonlyMap<string, number> = new Map(FILE_WORDS.map((word, index) => [word, index]));

/** `slot` as `kind.slot`, e.g. `move.from`. Slots outside the table hold nothing out. */
export function isHeldOutPair(slot: string, word: string): boolean {
  const slotIndex = SLOT_INDEX.get(slot);
  const wordIndex = WORD_INDEX.get(word);
  if (slotIndex === undefined || wordIndex === undefined) return false;
  return (wordIndex + 5 * slotIndex) % 6 === 0;
}

/** Number of held-out pairs in a task; 0 for every train task. */
export function countHeldOutPairs(subGoals: readonly SubGoal[]): number {
  let count = 0;
  for (const { kind, slots } of subGoals) {
    for (const [slot, word] of Object.entries(slots)) if (isHeldOutPair(`${kind}.${slot}`, word)) count += 1;
  }
  return count;
}
