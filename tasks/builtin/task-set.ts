/**
 * Many different tasks: families in rotation, no id twice, a pure function of its options. Also the guard that a family
 * has room for three splits at all, and words for as many sub-goals as it says.
 */
import { Failure } from '../../contracts/failures.ts';
import type { Split, Task, TaskLimits } from '../../contracts/task.ts';
import { familyNamed } from './families.ts';
import type { Family } from './family.ts';
import { drawCount, drawTask, generateTask, SUB_GOAL_MIXES } from './generate-task.ts';
import { streamOf } from './stream-of.ts';

export interface TaskSetOptions {
  readonly families: readonly (string | Family)[];
  readonly split: Split;
  readonly count: number;
  readonly seed: number;
  readonly subGoalWeights?: readonly number[];
  readonly limits?: TaskLimits;
  /** Ids that must not come again, e.g. of another set. */
  readonly without?: ReadonlySet<string>;
}

/** Repeats of an id are rare in a family that passed `checkInstanceSpace`. */
const TRIES_PER_TASK = 50;

export function taskSet(options: TaskSetOptions): Task[] {
  const { families, split, count, seed, subGoalWeights, limits, without } = options;
  if (families.length === 0) throw new Failure('task', 'a task set needs at least one family: got none');
  const resolved = families.map((family) => (typeof family === 'string' ? familyNamed(family) : family));
  for (const family of resolved) checkInstanceSpace(family);
  const random = streamOf('task-set', split, seed);
  const seen = new Set<string>(without);
  const optional = { ...(subGoalWeights === undefined ? {} : { subGoalWeights }), ...(limits ? { limits } : {}) };
  const next = (family: Family): Task => {
    for (let attempt = 0; attempt < TRIES_PER_TASK; attempt++) {
      const task = generateTask({ family, split, seed: random.int(2 ** 32), ...optional });
      if (seen.has(task.id)) continue;
      seen.add(task.id);
      return task;
    }
    const message = `family ${family.name} has no further ${split} task after ${seen.size}: ask for fewer`;
    throw new Failure('task', message, { subject: family.name });
  };
  return Array.from({ length: count }, (_, index) => next(resolved[index % resolved.length] as Family));
}

const SPACE_DRAWS = 600;
/** With 600 draws, 400 different instructions stand for roughly 650 that exist: 65 in the smallest split. */
const SPACE_MINIMUM = 400;
/** Draws a split at a family's maximum of sub-goals. */
const ROOM_DRAWS = 100;
const accepted = new WeakSet<Family>();

/**
 * Refuses a family whose instructions are too few for three splits, or whose maximum uses up a word list; both are looked
 * at once per family.
 */
export function checkInstanceSpace(family: Family): void {
  if (accepted.has(family)) return;
  const random = streamOf('instance-space', family.name);
  const instructions = new Set<string>();
  for (let i = 0; i < SPACE_DRAWS; i++) {
    const count = drawCount(family, SUB_GOAL_MIXES.k2, random);
    instructions.add(drawTask(family, count, 'held-out', random).instruction);
  }
  if (instructions.size < SPACE_MINIMUM) {
    const message =
      `family ${family.name}: ${SPACE_DRAWS} draws gave ${instructions.size} different instructions, ` +
      `three splits need ${SPACE_MINIMUM}: add sub-goals or words`;
    throw new Failure('task', message, { subject: family.name });
  }
  checkRoom(family);
  accepted.add(family);
}

function checkRoom(family: Family): void {
  const { name, splits, maximumSubGoals: most } = family;
  for (const split of splits) {
    const random = streamOf('room', name, split);
    try {
      for (let i = 0; i < ROOM_DRAWS; i++) drawTask(family, most, split, random);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `family ${name} cannot host the ${most} sub-goals it states, ${split}: ${reason}`;
      throw new Failure('task', message, { subject: name, cause: error });
    }
  }
}
