/**
 * The whole recursion in one process (docs/formulas.md): a start model, a warm-up critic, then generation after
 * generation self-rewrite (RSR) and policy-refine (RPR) in the configured order, evaluation, promotion or rollback.
 *
 *   policy_0 <- warm start;  critic_0 <- warm-up(policy_0);  evaluate(policy_0)
 *   for g = 1..G:  policy' <- self-rewrite(promoted policy)
 *                  critic' <- handoff(promoted critic, policy');  policy, critic <- policy-refine(policy', critic')
 *                  evaluate(policy);  promote or roll back
 *
 * Every piece of work is done once per place and stored (context.ts), so this same story, told again after a kill,
 * goes on where it was. The durable workflows tell it too; equal seeds end with equal content heads.
 */
import type { GroupRef } from '../contracts/checkpoint.ts';
import { calibrate } from './calibrate.ts';
import type { LoopContext } from './context.ts';
import { measureDrift } from './drift.ts';
import { evaluate } from './evaluate.ts';
import { handOffCritic } from './handoff.ts';
import { policyRefine } from './policy-refine.ts';
import { promote, type PromotedState } from './promote.ts';
import { runStop } from './run-stop.ts';
import type { GenerationOutcome, RunEnd, RunResult, StageOutcome } from './run-result.ts';
import { selfRewrite } from './self-rewrite.ts';
import { warmStart } from './warm-start.ts';
import { warmUpCritic } from './warm-up-critic.ts';

export async function localRun(context: LoopContext): Promise<RunResult> {
  const { config } = context;
  const enter = (generation: number, stageIndex: number, stage: string): void =>
    context.report({ kind: 'stage', generation, stageIndex, stage });

  enter(0, -1, 'warm-start');
  const { policy } = await warmStart(context);
  enter(0, 0, 'warm-up-critic');
  const warmUp = await warmUpCritic(context, policy);
  enter(0, config.stages.length, 'evaluate');
  const start = await evaluate(context, 0, policy);

  const startState: PromotedState = {
    generation: 0,
    policy,
    critic: warmUp.critic,
    calibrations: {},
    klCoefficient: config.policyRefine.klCoefficient,
    rewriteBase: policy,
    evaluation: start,
  };
  // The state the next generation starts from, and the one with the best selection rate so far.
  let current = startState;
  let best = startState;
  const generations: GenerationOutcome[] = [];
  let end: RunEnd = { reason: 'generations', measured: config.generations, limit: config.generations };
  let withoutNewBest = 0;

  for (let generation = 1; generation <= config.generations; generation += 1) {
    const made = await oneGeneration(context, generation, current, enter);
    enter(generation, config.stages.length, 'evaluate');
    const evaluation = await evaluate(context, generation, made.state.policy);
    const klToStart = await measureDrift(context, generation, made.state.policy, policy);
    const calibration = await calibrate(context, generation, made.rollouts, current.calibrations);
    const candidate: PromotedState = { ...made.state, generation, evaluation, calibrations: calibration.maps };
    const { decision } = await promote(context, candidate, best, current);
    // A rollback restores all of the promoted state: policy, critic, calibration maps.
    if (decision.promoted) current = candidate;
    if (decision.newBest) best = candidate;
    withoutNewBest = decision.newBest ? 0 : withoutNewBest + 1;
    generations.push({
      generation,
      stages: made.stages,
      evaluation,
      promotion: decision,
      calibration,
      klToStart: klToStart.kl,
    });
    const stop = made.stop ?? (await runStop(context, best.evaluation, withoutNewBest));
    if (stop !== null) {
      end = stop;
      break;
    }
  }
  return {
    config,
    warmUp,
    start,
    generations,
    promotedGeneration: current.generation,
    end,
    contentHead: await context.store.contentHead(),
  };
}

interface MadeGeneration {
  readonly state: Omit<PromotedState, 'generation' | 'evaluation' | 'calibrations'>;
  readonly stages: readonly StageOutcome[];
  /** Plain on-policy rollouts on train tasks: rows of the next calibration. */
  readonly rollouts: readonly GroupRef[];
  /** A stop rule that fired within a stage. */
  readonly stop: RunEnd | null;
}

/** The stages of one generation, from the promoted state; a kind may stand twice. */
async function oneGeneration(
  context: LoopContext,
  generation: number,
  promoted: PromotedState,
  enter: (generation: number, stageIndex: number, stage: string) => void,
): Promise<MadeGeneration> {
  const stages: StageOutcome[] = [];
  const rollouts: GroupRef[] = [];
  let state: MadeGeneration['state'] = promoted;
  for (const [stageIndex, kind] of context.config.stages.entries()) {
    enter(generation, stageIndex, kind);
    const place = { generation, stageIndex };
    if (kind === 'self-rewrite') {
      const result = await selfRewrite(context, place, { policy: state.policy, base: state.rewriteBase });
      state = { ...state, policy: result.policy };
      rollouts.push(...result.rollouts);
      stages.push({ kind, stageIndex, result });
      continue;
    }
    const handoff = await handOffCritic(context, place, state.critic, state.policy, promoted.calibrations);
    const result = await policyRefine(
      context,
      place,
      { policy: state.policy, critic: handoff.critic },
      promoted.calibrations,
    );
    state = { ...state, policy: result.policy, critic: result.critic, klCoefficient: result.klCoefficient };
    rollouts.push(...handoff.rollouts, ...result.rollouts);
    stages.push({ kind, stageIndex, handoff, result });
    if (result.stop !== null) return { state, stages, rollouts, stop: result.stop };
  }
  const { policy, critic, klCoefficient, rewriteBase } = state;
  return { state: { policy, critic, klCoefficient, rewriteBase }, stages, rollouts, stop: null };
}
