/**
 * Evaluation of a policy under seeds that are the same in all generations: selection tasks (sampled) decide promotion;
 * held-out tasks and the unseen composition (greedy and sampled) are only reported.
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import { Failure } from '../contracts/failures.ts';
import type { Place } from '../contracts/run-store.ts';
import { plainPrompt } from '../agent/transcript.ts';
import { seedOf } from '../contracts/seeds.ts';
import type { Task } from '../contracts/task.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { taskState, type TaskState } from '../rl/movement-table.ts';
import { once, use, type LoopContext } from './context.ts';
import { actionTokensOf, failedCommandsOf, loadGroups, rollOut } from './groups.ts';
import type { EpisodeRequest } from './rollout.ts';
import { evaluationTasks } from './task-sets.ts';

export const EVALUATION_SETS = [
  'selection',
  'held-out',
  'held-out-greedy',
  'composition',
  'composition-greedy',
] as const;
export type EvaluationSet = (typeof EVALUATION_SETS)[number];

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
  readonly set: EvaluationSet;
  readonly outcomes: readonly TaskOutcome[];
}

export interface Evaluation {
  readonly generation: number;
  readonly policy: CheckpointRef;
  readonly outcomes: Readonly<Record<EvaluationSet, readonly TaskOutcome[]>>;
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
  for (const set of EVALUATION_SETS) {
    const { tasks: members, temperature } = plan[set];
    outcomes[set] = await playSet(context, generation, set, members, policy, temperature);
  }
  return { generation, policy, outcomes: outcomes as Evaluation['outcomes'] };
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

async function playSet(
  context: LoopContext,
  generation: number,
  set: EvaluationSet,
  tasks: readonly Task[],
  policy: CheckpointRef,
  temperature: number,
): Promise<readonly TaskOutcome[]> {
  const { seed } = context.config;
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
  const groups: GroupRef[] = await rollOut(context, placeOf(context, generation, `evaluate-${set}`), requests, {
    parameters: await context.weights.load(policy),
    policy,
    temperature,
  });
  const stored = await once<EvaluationOutcomes>(context, placeOf(context, generation, `outcomes-${set}`), async () => ({
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
