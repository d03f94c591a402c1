/**
 * Stage `warm-up-critic`: the policy is frozen; V is fitted to the Monte-Carlo returns of its rollouts until it explains
 * enough of the variance on the probe set, or the budget ends. Which of the two is said. A budget of 0 leaves a fresh head.
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import { openLearner } from '../model/learner.ts';
import { criticFromPolicy, disposeParameters } from '../model/parameters.ts';
import { randomStream } from '../rl/random-stream.ts';
import { meanReturn, toLessons } from './advantages.ts';
import { once, use, type LoopContext } from './context.ts';
import { explainedOn, fitCritic } from './critic-fit.ts';
import { keepLearner } from './keep-learner.ts';
import { loadScored, rollOutTrainTasks } from './plain-rollouts.ts';

export interface CriticWarmUp {
  readonly critic: CheckpointRef;
  readonly explainedVariance: number | null;
  readonly gate: 'reached' | 'budget';
  readonly iterations: number;
  readonly loss: number | null;
  /** Plain rollouts of policy_0: parents for rewriting, rows for calibration. */
  readonly rollouts: readonly GroupRef[];
}

interface WarmUpIteration {
  readonly kind: 'critic-update';
  readonly critic: CheckpointRef;
  readonly explainedVariance: number | null;
  readonly loss: number | null;
}

export async function warmUpCritic(context: LoopContext, policy: CheckpointRef): Promise<CriticWarmUp> {
  const settings = context.config.warmUpCritic;
  const probe = await rollOutTrainTasks(context, at('probe', 0), policy, settings.probeEpisodes, { purpose: 'probe' });
  const rollouts: GroupRef[] = [];
  let last = settings.iterations === 0 ? await freshCritic(context, policy, probe) : null;
  let iterations = 0;
  for (let iteration = 0; iteration < settings.iterations; iteration += 1) {
    const fresh = await rollOutTrainTasks(context, at('rollout', iteration), policy, settings.episodes);
    rollouts.push(...fresh);
    iterations += 1;
    last = await fitOnce(context, iteration, policy, last?.critic ?? null, fresh, probe);
    if (last.explainedVariance !== null && last.explainedVariance >= settings.minExplainedVariance) break;
  }
  const { critic, explainedVariance, loss } = last as WarmUpIteration;
  const reached = explainedVariance !== null && explainedVariance >= settings.minExplainedVariance;
  return {
    critic,
    explainedVariance,
    loss,
    rollouts,
    iterations,
    gate: reached ? 'reached' : 'budget',
  };
}

function at(step: string, iteration: number): Place {
  return { generation: 0, stageIndex: 0, step, iteration, group: 0 };
}

/** A value head that knows nothing, not even the mean return: what a run without warm-up starts from. */
function freshCritic(
  context: LoopContext,
  policy: CheckpointRef,
  probe: readonly GroupRef[],
): Promise<WarmUpIteration> {
  const { config, model, weights } = context;
  return once<WarmUpIteration>(context, at('critic-update', 0), async () => {
    const parameters = criticFromPolicy(model, await weights.load(policy), 0);
    const probed = toLessons(await loadScored(context, probe, {}), null, config);
    const explainedVariance = explainedOn(context, parameters, probed);
    const critic = await weights.save('critic', parameters, null);
    return {
      content: { kind: 'critic-update', critic, explainedVariance, loss: null },
      blobs: [critic.digest],
      uses: [use('parent', policy), ...probe.map((group) => use('probe', group))],
    };
  });
}

function fitOnce(
  context: LoopContext,
  iteration: number,
  policy: CheckpointRef,
  before: CheckpointRef | null,
  fresh: readonly GroupRef[],
  probe: readonly GroupRef[],
): Promise<WarmUpIteration> {
  const { config, model, weights, tokenizer } = context;
  return once<WarmUpIteration>(context, at('critic-update', iteration), async () => {
    const scored = await loadScored(context, fresh, {});
    const lessons = toLessons(scored, null, config);
    const start =
      before === null
        ? criticFromPolicy(model, await weights.load(policy), meanReturn(lessons))
        : await weights.load(before);
    const moments = before === null ? null : await weights.loadOptimizer(before);
    const learner = openLearner('critic', model, start, config.optimizer, tokenizer.vocabSize, moments);
    if (before === null) disposeParameters(start);
    const seed = seedOf({
      runSeed: config.seed,
      ...at('order', iteration),
      purpose: 'order critic-update',
      groupIndex: iteration,
    });
    const loss = await fitCritic(context, learner, lessons, config.warmUpCritic, randomStream(seed));
    const probed = toLessons(await loadScored(context, probe, {}), null, config);
    const explained = explainedOn(context, learner.parameters, probed);
    const critic = await keepLearner(context, learner, true);
    return {
      content: { kind: 'critic-update', critic, explainedVariance: explained, loss },
      blobs: [critic.digest],
      uses: [
        use('parent', before ?? policy),
        ...fresh.map((group) => use('fitted', group)),
        ...probe.map((group) => use('probe', group)),
      ],
    };
  });
}
