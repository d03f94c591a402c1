/**
 * Families of up to eight sub-goals. The word lists do not grow with the tasks, so these bound how often a kind may occur:
 * config and lookup take two of 8 keys each, place takes one of 6 directories, perm one of 6 modes.
 */
import { SPLITS } from '../split.ts';
import type { Family } from './family.ts';
import { subGoalKind } from './sub-goals/kinds.ts';

const MOST = 8;

/** Kinds are dealt like cards, in any order: `hand` says how many of each there are, and so how many a task may have. */
function dealt(name: string, hand: Readonly<Record<string, number>>): Family {
  const cards = Object.entries(hand).flatMap(([kind, times]) => Array<string>(times).fill(kind));
  return {
    name,
    kinds: Object.keys(hand),
    splits: SPLITS,
    minimumSubGoals: 1,
    maximumSubGoals: Math.min(MOST, cards.length),
    compose(count, random) {
      const free = cards.filter((kind) => count > 1 || subGoalKind(kind).unnamed !== true);
      return random.shuffle(free).slice(0, count);
    },
  };
}

export const LONG_TRAINED = [
  // Values that no instruction tells: half of the sub-goals read a file first.
  dealt('survey', { lookup: 4, count: 2, write: 2 }),
  // Directories that may be missing: two sub-goals of three may need a repair.
  dealt('archive', { place: 6, count: 2, delete: 1 }),
  // Both, between sub-goals that need no look.
  dealt('install', { place: 3, lookup: 3, perm: 2, config: 1 }),
  // Nothing to find out: long by number alone.
  dealt('harden', { perm: 4, config: 3, move: 3, delete: 1 }),
] as const;

/** After each thing fetched or made a move: none of the above has both, so no trained task shows what follows what here. */
export const restore: Family = {
  name: 'restore',
  kinds: ['lookup', 'place', 'move'],
  splits: ['held-out'],
  minimumSubGoals: 2,
  maximumSubGoals: MOST,
  compose: (count, random) =>
    Array.from({ length: count }, (_, index) => (index % 2 === 0 ? random.pick(['lookup', 'place']) : 'move')),
};
