/** What a task family is, and which numbers of sub-goals it can host. */
import type { Split } from '../../contracts/task.ts';
import type { RandomStream } from '../../rl/random-stream.ts';

export interface Family {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly splits: readonly Split[];
  readonly minimumSubGoals: number;
  /** Up to here the word lists suffice in every split, whatever `compose` draws: no word stands twice in a task. */
  readonly maximumSubGoals: number;
  /** Kinds of a task with `count` sub-goals, in order. */
  compose(count: number, random: RandomStream): readonly string[];
}

/** Why the family has no tasks by these weights (of 1, 2, 3, ... sub-goals), or null. */
export function weightsProblem(family: Family, weights: readonly number[]): string | null {
  const { name, minimumSubGoals: least, maximumSubGoals: most } = family;
  if (weights.slice(most).some((weight) => weight > 0)) return `family '${name}' can host at most ${most} sub-goals`;
  if (weights.slice(least - 1).some((weight) => weight > 0)) return null;
  return `family '${name}' needs a weight > 0 for ${least} sub-goals or more`;
}
