/**
 * The task families: which sub-goals are combined, and how. A family of one's own is an object of this shape handed to
 * the generator, or a line in FAMILIES:
 *   1. `name`, `kinds`: names from sub-goals/kinds.ts; `splits`: where it may appear; `compose`: the kinds of a task;
 *      `minimumSubGoals`, `maximumSubGoals`: how many it can host.
 *   2. `checkInstanceSpace` must accept it: enough different instructions for three splits, words enough for its maximum.
 *   3. `validateFamily` must accept it: its oracle solves it, doing nothing does not.
 */
import { Failure } from '../../contracts/failures.ts';
import { SPLITS } from '../split.ts';
import type { Family } from './family.ts';
import { LONG_TRAINED, restore } from './long-families.ts';
import { subGoalKind } from './sub-goals/kinds.ts';

/** Of the families whose kinds may occur as often as they are drawn: more could use up keys, directories or modes. */
const MOST = 4;

/** Each sub-goal any of the kinds; those whose instruction names nothing at most once and never alone. */
function mixed(name: string, ...kinds: readonly string[]): Family {
  return {
    name,
    kinds,
    splits: SPLITS,
    minimumSubGoals: 1,
    maximumSubGoals: MOST,
    compose(count, random) {
      let free = kinds.filter((kind) => count > 1 || subGoalKind(kind).unnamed !== true);
      return Array.from({ length: count }, () => {
        const kind = random.pick(free);
        if (subGoalKind(kind).unnamed === true) free = free.filter((other) => other !== kind);
        return kind;
      });
    },
  };
}

/**
 * Known sub-goals in an order that no trained family of the preset `demo` has: something made or fetched first, then a
 * move.
 */
const migrate: Family = {
  name: 'migrate',
  kinds: ['lookup', 'place', 'move', 'write'],
  splits: ['held-out'],
  minimumSubGoals: 2,
  maximumSubGoals: MOST,
  compose(count, random) {
    const rest = Array.from({ length: count - 2 }, () => random.pick(['lookup', 'move', 'write', 'place']));
    return [random.pick(['lookup', 'place']), 'move', ...rest];
  },
};

const TRAINED = [
  mixed('notes', 'write', 'place'),
  mixed('config', 'config', 'lookup'),
  mixed('tidy', 'move', 'delete'),
  mixed('audit', 'count', 'perm'),
  mixed('release', 'config', 'move', 'perm'),
  mixed('report', 'write', 'count', 'lookup'),
  ...LONG_TRAINED,
] as const;
const HELD_OUT = [migrate, restore] as const;

export const FAMILIES: ReadonlyMap<string, Family> = new Map([...TRAINED, ...HELD_OUT].map((f) => [f.name, f]));

/** Names of the families that exist in every split, in their order of rotation. */
export const TRAINED_FAMILIES: readonly string[] = TRAINED.map((family) => family.name);

/** Names of the compositions that training never sees. */
export const HELD_OUT_FAMILIES: readonly string[] = HELD_OUT.map((family) => family.name);

export function familyNamed(name: string): Family {
  const family = FAMILIES.get(name);
  if (family !== undefined) return family;
  throw new Failure('task', `no task family "${name}": known are ${[...FAMILIES.keys()].join(', ')}`, {
    subject: name,
  });
}
