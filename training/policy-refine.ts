/**
 * Stage `policy-refine` (RPR): PPO on fresh plain rollouts, with the inherited critic. An iteration is one batch of
 * rollouts; advantages, old and reference log-probabilities are computed once in it; an optimizer step is one minibatch
 * of whole episodes. Formulas: rl/gae.ts, rl/ppo.ts, rl/kl.ts, rl/value-loss.ts, rl/whiten.ts.
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import { digestOf, type Digest } from '../contracts/digest.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import { openLearner } from '../model/learner.ts';
import { scorePolicy, scoreValues } from '../model/score.ts';
import { importanceWeights } from '../rl/importance-weight.ts';
import { adaptiveKlCoefficient, klPenalty } from '../rl/kl.ts';
import { randomStream } from '../rl/random-stream.ts';
import { whitenSelected } from '../rl/whiten.ts';
import { joined, toLessons } from './advantages.ts';
import { once, use, type Computed, type LoopContext } from './context.ts';
import { explainedWith } from './critic-fit.ts';
import { keepLearner } from './keep-learner.ts';
import { loadScored, rollOutTrainTasks } from './plain-rollouts.ts';
import { updateActorAndCritic, type ActorLesson } from './ppo-update.ts';
import type { RefineMetrics } from './refine-metrics.ts';
import type { Calibrations, ScoredTrajectory } from './returns.ts';
import { stageStop, type StageStop } from './stage-stop.ts';

export interface RefineIteration {
  readonly kind: 'policy-update';
  readonly policy: CheckpointRef;
  readonly critic: CheckpointRef;
  readonly klCoefficient: number;
  /** Digest of the maps that scored the iteration's trajectories. */
  readonly calibration: Digest;
  readonly metrics: RefineMetrics;
}

type RefineState = Pick<RefineIteration, 'policy' | 'critic' | 'klCoefficient'>;

export interface Refined {
  readonly policy: CheckpointRef;
  readonly critic: CheckpointRef;
  readonly klCoefficient: number;
  readonly rollouts: readonly GroupRef[];
  readonly iterations: readonly RefineMetrics[];
  /** A stop rule that ended the stage early; null when the budget did. */
  readonly stop: StageStop | null;
}

export async function policyRefine(
  context: LoopContext,
  place: Pick<Place, 'generation' | 'stageIndex'>,
  start: { readonly policy: CheckpointRef; readonly critic: CheckpointRef },
  calibrations: Calibrations,
): Promise<Refined> {
  const settings = context.config.policyRefine;
  const rollouts: GroupRef[][] = [];
  const iterations: RefineMetrics[] = [];
  let now: RefineState = { ...start, klCoefficient: settings.klCoefficient };
  let stop: StageStop | null = null;
  for (let iteration = 0; iteration < settings.iterations && stop === null; iteration += 1) {
    const at = (step: string): Place => ({ ...place, step, iteration, group: 0 });
    const fresh = await rollOutTrainTasks(context, at('rollout'), now.policy, settings.episodes, {
      samplesPerTask: settings.samplesPerTask,
    });
    rollouts.push(fresh);
    const before = now;
    const next = await once(context, at('policy-update'), () =>
      refineOnce(
        context,
        at('policy-update'),
        before,
        start.policy,
        fresh,
        calibrations,
        iteration + 1 === settings.iterations,
      ),
    );
    iterations.push(next.metrics);
    stop = stageStop(context, iterations, rollouts);
    // What a stop rule objects to is not carried on: the state before this iteration stays the stage's result.
    if (stop === null) now = next;
  }
  return { ...now, rollouts: rollouts.flat(), iterations, stop };
}

async function refineOnce(
  context: LoopContext,
  place: Place,
  now: RefineState,
  reference: CheckpointRef,
  fresh: readonly GroupRef[],
  calibrations: Calibrations,
  isLast: boolean,
): Promise<Computed<RefineIteration>> {
  const { config, model, weights, tokenizer } = context;
  const { policyRefine: settings, optimizer: options, rollout } = config;
  const scored = await loadScored(context, fresh, calibrations);
  const trajectories = scored.map((one) => one.trajectory);
  const score = async (ref: CheckpointRef) =>
    scorePolicy(await weights.load(ref), model, trajectories, rollout.temperature, tokenizer.vocabSize);
  const old = await score(now.policy);
  const referenced = reference.digest === now.policy.digest ? old : await score(reference);
  const values = scoreValues(await weights.load(now.critic), model, trajectories);
  const lessons = toLessons(scored, values, config);
  const advantages = joined(lessons.map((lesson) => lesson.advantages));
  const hasSignal = advantages.some((advantage) => advantage !== 0);
  const whitened = whitenSelected(advantages) ?? advantages;
  let from = 0;
  const actorLessons = lessons.map((lesson, i): ActorLesson => {
    const to = from + lesson.advantages.length;
    const oldLogProbs = old[i]?.logProbs as Float64Array;
    const one = {
      ...lesson,
      advantages: whitened.subarray(from, to),
      oldLogProbs,
      referenceLogProbs: referenced[i]?.logProbs as Float64Array,
      importance: importanceWeights(oldLogProbs, lesson.sampledLogProbs, settings.importanceLimit).weights,
    };
    from = to;
    return one;
  });
  const moments = async (ref: CheckpointRef) => (place.iteration === 0 ? null : weights.loadOptimizer(ref));
  const actor = openLearner(
    'policy',
    model,
    await weights.load(now.policy),
    options,
    tokenizer.vocabSize,
    await moments(now.policy),
  );
  const critic = openLearner(
    'critic',
    model,
    await weights.load(now.critic),
    options,
    tokenizer.vocabSize,
    await moments(now.critic),
  );
  const seed = seedOf({ runSeed: config.seed, ...place, purpose: 'order policy-update', groupIndex: place.iteration });
  const update = await updateActorAndCritic(context, actor, critic, actorLessons, {
    klCoefficient: now.klCoefficient,
    stepActor: hasSignal,
    stream: randomStream(seed),
  });
  const kl = klPenalty(
    joined(actorLessons.map((lesson) => lesson.oldLogProbs)),
    joined(actorLessons.map((lesson) => lesson.referenceLogProbs)),
  ).mean;
  const importance = importanceWeights(
    joined(actorLessons.map((lesson) => lesson.oldLogProbs)),
    joined(actorLessons.map((lesson) => lesson.sampledLogProbs)),
    settings.importanceLimit,
  );
  const metrics: RefineMetrics = {
    ...update,
    episodes: scored.length,
    meanReward: scored.reduce((sum, one) => sum + one.reward, 0) / Math.max(1, scored.length),
    explainedVariance: explainedWith(lessons, values),
    kl,
    importanceMean: importance.mean,
    importanceTruncated: importance.truncatedFraction,
    skipped: scored.length === 0 ? 'no-verdicts' : hasSignal ? null : 'no-signal',
    equalRewardShare: equalRewardShare(scored),
  };
  // What the steps met, as the batch's own KL is 0 in a stage's first iteration by definition.
  const met = update.updateKl ?? kl;
  const klCoefficient =
    settings.klTarget === null || met === null
      ? now.klCoefficient
      : adaptiveKlCoefficient(now.klCoefficient, met, settings.klTarget);
  const content: RefineIteration = {
    kind: 'policy-update',
    policy: await keepLearner(context, actor, !isLast),
    critic: await keepLearner(context, critic, !isLast),
    klCoefficient,
    calibration: digestOf(calibrations),
    metrics,
  };
  const uses = [
    use('parent', now.policy),
    use('parent', now.critic),
    use('reference', reference),
    ...fresh.map((group) => use('rollouts', group)),
  ];
  return { content, blobs: [content.policy.digest, content.critic.digest], uses };
}

function equalRewardShare(scored: readonly ScoredTrajectory[]): number | null {
  const byTask = new Map<string, number[]>();
  for (const { trajectory, reward } of scored) {
    byTask.set(trajectory.taskId, [...(byTask.get(trajectory.taskId) ?? []), reward]);
  }
  const repeated = [...byTask.values()].filter((rewards) => rewards.length > 1);
  if (repeated.length === 0) return null;
  return repeated.filter((rewards) => rewards.every((reward) => reward === rewards[0])).length / repeated.length;
}
