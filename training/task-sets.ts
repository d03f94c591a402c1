/**
 * Which tasks a piece of work uses: pure functions of configuration, place and families added on the way, so no task set
 * needs to be stored. Train tasks are drawn anew wherever they are needed; the others are the same in all generations.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Split, Task, TaskLimits } from '../contracts/task.ts';
import { taskSet } from '../tasks/builtin/task-set.ts';
import { trainedFamilies } from './added-tasks.ts';
import type { LoopContext } from './context.ts';

export interface EvaluationTasks {
  readonly selection: readonly Task[];
  readonly heldOut: readonly Task[];
  readonly composition: readonly Task[];
}

export async function trainTasks(
  context: LoopContext,
  place: Pick<Place, 'generation' | 'stageIndex' | 'step' | 'iteration'>,
  count: number,
  without: ReadonlySet<string> = new Set(),
): Promise<Task[]> {
  const { seed } = context.config;
  return taskSet({
    families: trainedFamilies(context.config, await context.store.list(), place.generation),
    split: 'train',
    count,
    seed: seedOf({ runSeed: seed, ...place, purpose: `tasks ${place.step}`, groupIndex: place.iteration }),
    subGoalWeights: trainSubGoalWeights(context.config),
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

/**
 * Held-out tasks of the families added so far, of each as many as of a configured one. Drawn family by family in the order
 * in which they joined, so a later one changes nothing of those before it.
 */
export function addedHeldOutTasks(config: RunConfig, families: readonly string[]): Task[] {
  const { heldOut, families: configured, subGoalWeights } = config.tasks;
  const drawn: Task[] = [];
  for (const family of families) {
    const purpose = `tasks added ${family}`;
    const members = taskSet({
      ...{ families: [family], split: 'held-out', count: Math.max(1, Math.floor(heldOut / configured.length)) },
      seed: seedOf({ runSeed: 0, generation: null, stageIndex: null, purpose, groupIndex: 0 }),
      ...{ subGoalWeights, limits: taskLimits({ config }) },
      // Two families may ask for the same: it is then a task of the first.
      without: new Set(drawn.map(({ id }) => id)),
    });
    drawn.push(...members);
  }
  return drawn;
}

/** What train tasks are drawn by; all others by `tasks.subGoalWeights`. */
export function trainSubGoalWeights({ tasks }: Pick<RunConfig, 'tasks'>): readonly number[] {
  return tasks.trainSubGoalWeights ?? tasks.subGoalWeights;
}

export function taskLimits(context: Pick<LoopContext, 'config'>): TaskLimits {
  const { turns, tokensPerTurn, context: tokens, commandSeconds } = context.config.tasks;
  return { turns, tokensPerTurn, context: tokens, commandSeconds };
}
