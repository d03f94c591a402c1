/**
 * The recursion as a story, apart from where it runs (docs/formulas.md): local-run.ts tells it in one process, the
 * durable workflows tell it with activities. References only: no tensor, no transcript, no clock, no I/O.
 *
 *   policy_0 <- warm start;  critic_0 <- warm-up(policy_0);  evaluate(policy_0)
 *   for g = 1..G:  admit the task families that a person added meanwhile
 *                  policy' <- self-rewrite(promoted policy)                                        RSR
 *                  critic' <- handoff(promoted critic);  policy, critic <- policy-refine           RPR
 *                  evaluate(policy);  promote or roll back
 */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import type { StageKind } from '../contracts/config/run-config.ts';
import type { Place } from '../contracts/run-store.ts';

/** What the story needs to know of the configuration. */
export interface RecursionPlan {
  readonly generations: number;
  /** Kind and order of the stages of a generation; a kind may stand twice. */
  readonly stages: readonly StageKind[];
  readonly klCoefficient: number;
}

/** What a generation starts from and a rollback restores; evaluation and calibration maps are found by generation. */
export interface PromotedState {
  /** 0 = after the warm-up critic. */
  readonly generation: number;
  readonly policy: CheckpointRef;
  readonly critic: CheckpointRef;
  readonly klCoefficient: number;
  /** Where selfRewrite.fromBase starts: the run's start model. */
  readonly rewriteBase: CheckpointRef;
}

/** Why a run ended; `measured` and `limit` where a rule fired. */
export interface RunEnd {
  readonly reason: string;
  readonly measured: number | null;
  readonly limit: number | null;
}

const STOPPED = 'stopped: ';

/** A person ended the run before its plan was done. */
export function stoppedEnd(why: string): RunEnd {
  return { reason: `${STOPPED}${why}`, measured: null, limit: null };
}

export function wasStopped({ reason }: RunEnd): boolean {
  return reason.startsWith(STOPPED);
}

export interface RunState {
  /** The state the next generation starts from. */
  readonly current: PromotedState;
  /** The generation with the best selection rate so far: what candidates are compared with. */
  readonly bestGeneration: number;
  readonly withoutNewBest: number;
  readonly end: RunEnd | null;
}

export type StagePlace = Pick<Place, 'generation' | 'stageIndex'>;

export interface RefinedState {
  readonly policy: CheckpointRef;
  readonly critic: CheckpointRef;
  readonly klCoefficient: number;
  /** A stop rule that fired within the stage. */
  readonly stop: RunEnd | null;
}

/** The work itself. Each step is done once per place, so that the story may be told again after a crash. */
export interface RecursionSteps {
  enter(place: StagePlace, stage: string): void;
  warmStart(): Promise<CheckpointRef>;
  warmUpCritic(policy: CheckpointRef): Promise<CheckpointRef>;
  evaluate(generation: number, policy: CheckpointRef): Promise<void>;
  /** Families added since the last generation join: noted, and measured before anything is trained on them. */
  admitTasks(generation: number, policy: CheckpointRef): Promise<void>;
  selfRewrite(place: StagePlace, policy: CheckpointRef, base: CheckpointRef): Promise<CheckpointRef>;
  /** Handoff of the critic, then PPO; progress is calibrated by the maps of the promoted generation. */
  policyRefine(place: StagePlace, policy: CheckpointRef, promoted: PromotedState): Promise<RefinedState>;
  /** Drift from policy_0, next generation's calibration, and whether the candidate is promoted. */
  judge(candidate: PromotedState, state: RunState): Promise<{ readonly promoted: boolean; readonly newBest: boolean }>;
  /** Target, patience and budgets, judged once after each generation. */
  shouldStop(generation: number, bestGeneration: number, withoutNewBest: number): Promise<RunEnd | null>;
}

export async function beginRun(plan: RecursionPlan, steps: RecursionSteps): Promise<RunState> {
  steps.enter({ generation: 0, stageIndex: -1 }, 'warm-start');
  const policy = await steps.warmStart();
  steps.enter({ generation: 0, stageIndex: 0 }, 'warm-up-critic');
  const critic = await steps.warmUpCritic(policy);
  steps.enter({ generation: 0, stageIndex: plan.stages.length }, 'evaluate');
  await steps.evaluate(0, policy);
  const { klCoefficient } = plan;
  const current = { generation: 0, policy, critic, klCoefficient, rewriteBase: policy };
  return { current, bestGeneration: 0, withoutNewBest: 0, end: null };
}

export async function oneGeneration(
  plan: RecursionPlan,
  steps: RecursionSteps,
  generation: number,
  state: RunState,
): Promise<RunState> {
  const promoted = state.current;
  await steps.admitTasks(generation, promoted.policy);
  let { policy, critic, klCoefficient } = promoted;
  let stop: RunEnd | null = null;
  for (const [stageIndex, kind] of plan.stages.entries()) {
    const place = { generation, stageIndex };
    steps.enter(place, kind);
    if (kind === 'self-rewrite') {
      policy = await steps.selfRewrite(place, policy, promoted.rewriteBase);
      continue;
    }
    ({ policy, critic, klCoefficient, stop } = await steps.policyRefine(place, policy, { ...promoted, critic }));
    if (stop !== null) break;
  }
  steps.enter({ generation, stageIndex: plan.stages.length }, 'evaluate');
  await steps.evaluate(generation, policy);
  const candidate = { ...promoted, generation, policy, critic, klCoefficient };
  const { promoted: isPromoted, newBest } = await steps.judge(candidate, state);
  const next = {
    // A rollback restores all of the promoted state: policy, critic, calibration maps.
    current: isPromoted ? candidate : promoted,
    bestGeneration: newBest ? generation : state.bestGeneration,
    withoutNewBest: newBest ? 0 : state.withoutNewBest + 1,
  };
  const isLast = generation === plan.generations;
  const planned = isLast ? { reason: 'generations', measured: generation, limit: plan.generations } : null;
  const end = stop ?? (await steps.shouldStop(generation, next.bestGeneration, next.withoutNewBest)) ?? planned;
  return { ...next, end };
}
