/**
 * Where sub-goals take their words from: one draw per task, no word twice (a small model copies by association, so a
 * word with two roles would be ambiguous), and in the train split no held-out pair.
 */
import { Failure } from '../../contracts/failures.ts';
import type { Split } from '../../contracts/task.ts';
import { isHeldOutPair } from './held-out-pairs.ts';
import type { RandomStream } from '../../rl/random-stream.ts';
import { CONTENT_WORDS, DIRECTORIES, FILE_WORDS, KEYS, MODES, NUMBERS } from './vocabulary.ts';

export interface SlotDraw {
  readonly random: RandomStream;
  /** A file word; `slot` (`kind.slot`) names its role in the instruction, null for files nobody names. */
  word(slot: string | null): string;
  key(): string;
  number(): string;
  mode(): string;
  directory(): string;
  /** A line of text; may repeat. */
  line(): string;
}

/** Words are few, rejections rarer than 9 in 10: this many tries all failing means that the list is used up. */
const TRIES = 400;

export function createSlotDraw(random: RandomStream, split: Split): SlotDraw {
  const used = new Set<string>();
  const draw = (list: readonly string[], slot: string | null): string => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const word = random.pick(list);
      if (used.has(word) || (slot !== null && split === 'train' && isHeldOutPair(slot, word))) continue;
      used.add(word);
      return word;
    }
    throw new Failure('task', `no word left for ${slot ?? 'a file'} (${list[0]}, ...): ask for fewer sub-goals`);
  };
  return {
    random,
    word: (slot) => draw(FILE_WORDS, slot),
    key: () => draw(KEYS, null),
    number: () => draw(NUMBERS, null),
    mode: () => draw(MODES, null),
    directory: () => draw(DIRECTORIES, null),
    line: () => random.pick(CONTENT_WORDS),
  };
}
