/**
 * The steps of the recursion (training/recursion.ts) as the compute process does them: the functions of training/, their
 * results cut down to references and the few numbers that a run's table shows.
 */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import { admitTasks } from '../training/admit-tasks.ts';
import { calibrate, calibrationsOf } from '../training/calibrate.ts';
import type { LoopContext } from '../training/context.ts';
import { measureDrift } from '../training/drift.ts';
import { evaluate } from '../training/evaluate.ts';
import { handOffCritic } from '../training/handoff.ts';
import { policyRefine } from '../training/policy-refine.ts';
import { promote } from '../training/promote.ts';
import { ratesBy, ratesOf } from '../training/rates.ts';
import type { PromotedState, RunEnd, RunState, StagePlace } from '../training/recursion.ts';
import { stopCheck } from '../training/run-stop.ts';
import { selfRewrite } from '../training/self-rewrite.ts';
import { warmStart } from '../training/warm-start.ts';
import { warmUpCritic } from '../training/warm-up-critic.ts';
import type { CriticNote, EvaluationNote, FamilyNote, JudgeNote, RefineNote, RewriteNote } from './run-ref.ts';

export const computeSteps = {
  async warmStart(context: LoopContext): Promise<CheckpointRef> {
    return (await warmStart(context)).policy;
  },

  async warmUpCritic(context: LoopContext, policy: CheckpointRef): Promise<CriticNote> {
    const { critic, explainedVariance } = await warmUpCritic(context, policy);
    return { critic, explainedVariance };
  },

  async evaluate(context: LoopContext, generation: number, policy: CheckpointRef): Promise<EvaluationNote> {
    const { outcomes } = await evaluate(context, generation, policy);
    const selection = ratesOf(outcomes.selection);
    const heldOut = ratesOf(outcomes['held-out']);
    return {
      ...{ strict: selection.strict, n: selection.n, partial: selection.partialMean },
      ...{ heldOutStrict: heldOut.strict, heldOutN: heldOut.n },
    };
  },

  async admitTasks(
    context: LoopContext,
    generation: number,
    policy: CheckpointRef,
    families: readonly string[],
  ): Promise<FamilyNote[]> {
    const admitted = await admitTasks(context, generation, policy, families);
    const rates = ratesBy(admitted?.outcomes ?? [], ({ family }) => family);
    return Object.entries(rates).map(([family, { strict, n }]) => ({ family, strict, n }));
  },

  async selfRewrite(
    context: LoopContext,
    place: StagePlace,
    policy: CheckpointRef,
    base: CheckpointRef,
  ): Promise<RewriteNote> {
    const round = await selfRewrite(context, place, { policy, base });
    const { polish, repair } = round.accepted;
    return { policy: round.policy, candidates: round.candidates, accepted: polish + repair };
  },

  async policyRefine(
    context: LoopContext,
    place: StagePlace,
    policy: CheckpointRef,
    promoted: PromotedState,
  ): Promise<RefineNote> {
    const calibrations = await calibrationsOf(context, promoted.generation);
    const handoff = await handOffCritic(context, place, promoted.critic, policy, calibrations);
    const refined = await policyRefine(context, place, { policy, critic: handoff.critic }, calibrations);
    const { klCoefficient, stop, iterations } = refined;
    return { policy: refined.policy, critic: refined.critic, klCoefficient, stop, iterations: iterations.length };
  },

  async judge(context: LoopContext, candidate: PromotedState, state: RunState): Promise<JudgeNote> {
    const { generation, policy } = candidate;
    const drift = await measureDrift(context, generation, policy, state.current.rewriteBase);
    await calibrate(context, generation, state.current.generation);
    const { promoted, newBest } = (await promote(context, candidate, state)).decision;
    return { promoted, newBest, klToStart: drift.kl };
  },

  async shouldStop(
    context: LoopContext,
    generation: number,
    bestGeneration: number,
    withoutNewBest: number,
  ): Promise<RunEnd | null> {
    return (await stopCheck(context, generation, bestGeneration, withoutNewBest)).end;
  },
};

export type ComputeSteps = typeof computeSteps;
