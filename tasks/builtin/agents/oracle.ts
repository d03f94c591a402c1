/** Solves every sub-goal in order with the fewest commands; what a task does not tell it reads in the terminal. */
import type { Task } from '../../../contracts/task.ts';
import { subGoalKind } from '../sub-goals/kinds.ts';
import { takeSteps, type Script } from './script.ts';

export function* oracle(task: Task): Script {
  for (const goal of task.subGoals) {
    yield* takeSteps(subGoalKind(goal.kind).solve(goal.slots, task.workdir, task.directories));
  }
}
