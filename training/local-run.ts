/**
 * The whole recursion in one process: the story of recursion.ts with every step done here and now. Each piece of work is
 * done once per place and stored (context.ts), so the same story, told again after a kill, goes on where it was; equal
 * seeds end with equal content heads.
 */
import { admitTasks, type AdmittedTasks } from './admit-tasks.ts';
import { calibrate, calibrationsOf } from './calibrate.ts';
import type { LoopContext } from './context.ts';
import { measureDrift } from './drift.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import { handOffCritic } from './handoff.ts';
import { policyRefine } from './policy-refine.ts';
import { promote } from './promote.ts';
import { beginRun, oneGeneration, type RecursionPlan, type RecursionSteps } from './recursion.ts';
import type { GenerationOutcome, RunResult, StageOutcome } from './run-result.ts';
import { stopCheck } from './run-stop.ts';
import { selfRewrite } from './self-rewrite.ts';
import { warmStart } from './warm-start.ts';
import { warmUpCritic, type CriticWarmUp } from './warm-up-critic.ts';

export async function localRun(context: LoopContext): Promise<RunResult> {
  const plan = planOf(context);
  const told = openTelling();
  const steps = localSteps(context, told);
  let state = await beginRun(plan, steps);
  for (let generation = 1; state.end === null; generation += 1) {
    state = await oneGeneration(plan, steps, generation, state);
  }
  const { warmUp, evaluations, generations } = told;
  return {
    config: context.config,
    warmUp: warmUp as CriticWarmUp,
    start: evaluations.get(0) as Evaluation,
    generations,
    promotedGeneration: state.current.generation,
    end: state.end,
    contentHead: await context.store.contentHead(),
  };
}

function planOf({ config }: LoopContext): RecursionPlan {
  const { generations, stages, policyRefine: refine } = config;
  return { generations, stages, klCoefficient: refine.klCoefficient };
}

/** What the steps found, for the report. */
interface Telling {
  warmUp: CriticWarmUp | null;
  readonly evaluations: Map<number, Evaluation>;
  /** What joined with the generation under way. */
  admitted: AdmittedTasks | null;
  /** Its stages. */
  stages: StageOutcome[];
  readonly generations: GenerationOutcome[];
}

function openTelling(): Telling {
  return { warmUp: null, evaluations: new Map(), admitted: null, stages: [], generations: [] };
}

function localSteps(context: LoopContext, told: Telling): RecursionSteps {
  return {
    enter: (place, stage) => context.report({ kind: 'stage', ...place, stage }),
    warmStart: async () => (await warmStart(context)).policy,
    warmUpCritic: async (policy) => {
      told.warmUp = await warmUpCritic(context, policy);
      return told.warmUp.critic;
    },
    evaluate: async (generation, policy) => {
      told.evaluations.set(generation, await evaluate(context, generation, policy));
    },
    admitTasks: async (generation, policy) => {
      // Only durable runs take updates; here what is stored of them is told again.
      told.admitted = await admitTasks(context, generation, policy, []);
    },
    selfRewrite: async (place, policy, base) => {
      const result = await selfRewrite(context, place, { policy, base });
      told.stages.push({ kind: 'self-rewrite', stageIndex: place.stageIndex, result });
      return result.policy;
    },
    policyRefine: async (place, policy, promoted) => {
      const calibrations = await calibrationsOf(context, promoted.generation);
      const handoff = await handOffCritic(context, place, promoted.critic, policy, calibrations);
      const result = await policyRefine(context, place, { policy, critic: handoff.critic }, calibrations);
      told.stages.push({ kind: 'policy-refine', stageIndex: place.stageIndex, handoff, result });
      return result;
    },
    judge: async (candidate, state) => {
      const { generation } = candidate;
      const drift = await measureDrift(context, generation, candidate.policy, state.current.rewriteBase);
      const calibration = await calibrate(context, generation, state.current.generation);
      const { decision } = await promote(context, candidate, state);
      const evaluation = told.evaluations.get(generation) as Evaluation;
      told.generations.push({
        generation,
        admitted: told.admitted,
        stages: told.stages,
        evaluation,
        promotion: decision,
        calibration,
        klToStart: drift.kl,
      });
      told.stages = [];
      return decision;
    },
    shouldStop: async (generation, bestGeneration, withoutNewBest) =>
      (await stopCheck(context, generation, bestGeneration, withoutNewBest)).end,
  };
}
