/**
 * Evaluation of a policy under seeds that are the same in all generations: selection tasks (sampled) decide promotion;
 * held-out tasks and the unseen composition (greedy and sampled) are only reported, and so are held-out tasks of families
 * that were added on the way (sampled).
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import { Failure } from '../contracts/failures.ts';
import type { Place } from '../contracts/run-store.ts';
import { plainPrompt } from '../agent/transcript.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Task } from '../contracts/task.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { taskState, type TaskState } from '../rl/movement-table.ts';
import { addedFamilies } from './added-tasks.ts';
import { once, use, type LoopContext } from './context.ts';
import { actionTokensOf, failedCommandsOf, loadGroups, rollOut } from './groups.ts';
import type { EpisodeRequest } from './episode.ts';
import { addedHeldOutTasks, evaluationTasks } from './task-sets.ts';

export const EVALUATION_SETS = [
  'selection',
  'held-out',
  'held-out-greedy',
  'composition',
  'composition-greedy',
] as const;
export type EvaluationSet = (typeof EVALUATION_SETS)[number];
/** `added`: grows with the families that join a run; the others are the same from its first day. */
type PlayedSet = EvaluationSet | 'added';

/** One task's outcome, small enough to keep for every task of every generation. */
export interface TaskOutcome {
  readonly taskId: string;
  readonly family: string;
  readonly subGoals: readonly string[];
  /** 1 per check that held at the end; empty without a verdict. */
  readonly checks: readonly number[];
  /** Null: no verdict. */
  readonly state: TaskState | null;
  readonly progress: number;
  readonly turns: number;
  readonly actionTokens: number;
  readonly failedCommands: number;
}

/** As stored: one record per evaluation set. */
export interface EvaluationOutcomes {
  readonly kind: 'evaluation-outcomes';
  readonly set: PlayedSet;
  readonly outcomes: readonly TaskOutcome[];
}

export interface Evaluation {
  readonly generation: number;
  readonly policy: CheckpointRef;
  readonly outcomes: Readonly<Record<EvaluationSet, readonly TaskOutcome[]>>;
  /** Of the families added up to this generation; empty without any. */
  readonly added: readonly TaskOutcome[];
}

export async function evaluate(context: LoopContext, generation: number, policy: CheckpointRef): Promise<Evaluation> {
  const tasks = evaluationTasks(context);
  const plan: Record<EvaluationSet, { readonly tasks: readonly Task[]; readonly temperature: number }> = {
    selection: { tasks: tasks.selection, temperature: 1 },
    'held-out': { tasks: tasks.heldOut, temperature: 1 },
    'held-out-greedy': { tasks: tasks.heldOut, temperature: 0 },
    composition: { tasks: tasks.composition, temperature: 1 },
    'composition-greedy': { tasks: tasks.composition, temperature: 0 },
  };
  const outcomes: Partial<Record<EvaluationSet, readonly TaskOutcome[]>> = {};
  const end = placeOf(context, generation, 'evaluate');
  for (const set of EVALUATION_SETS) {
    const { tasks: members, temperature } = plan[set];
    outcomes[set] = await playSet(context, end, set, members, policy, temperature);
  }
  const families = addedFamilies(await context.store.list(), generation);
  const added = addedHeldOutTasks(context.config, families);
  return {
    ...{ generation, policy, outcomes: outcomes as Evaluation['outcomes'] },
    added: added.length === 0 ? [] : await playSet(context, end, 'added', added, policy, 1),
  };
}

/** Stored outcomes of a generation. */
export async function outcomesOf(
  context: LoopContext,
  generation: number,
  set: EvaluationSet,
): Promise<readonly TaskOutcome[]> {
  const stored = await context.store.read<EvaluationOutcomes>(placeOf(context, generation, `outcomes-${set}`));
  if (stored === null) throw new Failure('lineage', `generation ${generation} was not evaluated on ${set} tasks yet`);
  return stored.content.outcomes;
}

function placeOf(context: LoopContext, generation: number, step: string): Place {
  return { generation, stageIndex: context.config.stages.length, step, iteration: 0, group: 0 };
}

/** Plays the tasks once each and stores what came of it, `at` a place of the run. */
export async function playSet(
  context: LoopContext,
  at: Pick<Place, 'generation' | 'stageIndex'>,
  set: PlayedSet,
  tasks: readonly Task[],
  policy: CheckpointRef,
  temperature: number,
): Promise<readonly TaskOutcome[]> {
  const { seed } = context.config;
  const { generation, stageIndex } = at;
  const step = (name: string): Place => ({ generation, stageIndex, step: `${name}-${set}`, iteration: 0, group: 0 });
  const requests = tasks.map((task): EpisodeRequest => ({
    task,
    purpose: 'evaluation',
    promptIds: plainPrompt(context.tokenizer, task),
    seed: seedOf({
      runSeed: seed,
      generation: null,
      stageIndex: null,
      purpose: `evaluation ${set}`,
      groupIndex: 0,
      taskId: task.id,
    }),
    sample: 0,
    parentId: null,
    mode: null,
  }));
  const groups: GroupRef[] = await rollOut(context, step('evaluate'), requests, {
    parameters: await context.weights.load(policy),
    policy,
    temperature,
  });
  const stored = await once<EvaluationOutcomes>(context, step('outcomes'), async () => ({
    content: { kind: 'evaluation-outcomes', set, outcomes: (await loadGroups(context, groups)).map(outcomeOf) },
    uses: [use('policy', policy), ...groups.map((group) => use('episodes', group))],
  }));
  return stored.outcomes;
}

function outcomeOf(trajectory: Trajectory): TaskOutcome {
  const { verdict } = trajectory;
  return {
    taskId: trajectory.taskId,
    family: trajectory.family,
    subGoals: trajectory.subGoals,
    checks: verdict?.checks ?? [],
    state: taskState(verdict),
    progress: verdict?.progress ?? 0,
    turns: trajectory.turns.length,
    actionTokens: actionTokensOf(trajectory),
    failedCommands: failedCommandsOf(trajectory),
  };
}
