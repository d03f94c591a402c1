/**
 * Which tasks a piece of work uses: pure functions of the configuration and the place, so nothing needs to be stored.
 * Train tasks are drawn anew wherever they are needed; selection and held-out tasks are the same in all generations.
 */
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Split, Task, TaskLimits } from '../contracts/task.ts';
import { taskSet } from '../tasks/builtin/task-set.ts';
import type { LoopContext } from './context.ts';

export interface EvaluationTasks {
  readonly selection: readonly Task[];
  readonly heldOut: readonly Task[];
  readonly composition: readonly Task[];
}

export function trainTasks(
  context: LoopContext,
  place: Pick<Place, 'generation' | 'stageIndex' | 'step' | 'iteration'>,
  count: number,
  without: ReadonlySet<string> = new Set(),
): Task[] {
  const { tasks, seed } = context.config;
  return taskSet({
    families: tasks.families,
    split: 'train',
    count,
    seed: seedOf({ runSeed: seed, ...place, purpose: `tasks ${place.step}`, groupIndex: place.iteration }),
    subGoalWeights: tasks.subGoalWeights,
    limits: taskLimits(context),
    without,
  });
}

export function evaluationTasks(context: LoopContext): EvaluationTasks {
  const { tasks } = context.config;
  const draw = (families: readonly string[], split: Split, count: number): Task[] =>
    count === 0
      ? []
      : taskSet({
          families,
          split,
          count,
          // The tasks that are reported do not depend on the run's seed: seeds are compared on the same ones.
          seed: seedOf({ runSeed: 0, generation: null, stageIndex: null, purpose: `tasks ${split}`, groupIndex: 0 }),
          subGoalWeights: tasks.subGoalWeights,
          limits: taskLimits(context),
        });
  return {
    selection: draw(tasks.families, 'selection', tasks.selection),
    heldOut: draw(tasks.families, 'held-out', tasks.heldOut),
    composition: draw([tasks.composition], 'held-out', tasks.heldOutComposition),
  };
}

export function taskLimits(context: LoopContext): TaskLimits {
  const { turns, tokensPerTurn, context: tokens, commandSeconds } = context.config.tasks;
  return { turns, tokensPerTurn, context: tokens, commandSeconds };
}
