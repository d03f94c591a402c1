/**
 * Many different tasks: families in rotation, no id twice, a pure function of its options. Also the guard that a family
 * has room for three splits at all.
 */
import { Failure } from '../../contracts/failures.ts';
import type { Split, Task, TaskLimits } from '../../contracts/task.ts';
import { familyNamed, type Family } from './families.ts';
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
const accepted = new WeakSet<Family>();

/** Refuses a family whose instructions are too few for three splits; the estimate is made once per family. */
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
  accepted.add(family);
}
