/**
 * Critic handoff: the next stage inherits the critic's weights and nothing else (moments, schedule and step count are
 * new), then re-calibrates it on fresh plain rollouts of the *new* policy, before the actor's first step. The probe set
 * is disjoint from those, and the same before and after.
 */
import type { CheckpointRef, GroupRef } from '../contracts/checkpoint.ts';
import { digestOf, type Digest } from '../contracts/digest.ts';
import type { Place } from '../contracts/run-store.ts';
import { seedOf } from '../contracts/seeds.ts';
import { openLearner } from '../model/learner.ts';
import { criticFromPolicy, disposeParameters } from '../model/parameters.ts';
import { randomStream } from '../rl/random-stream.ts';
import { meanReturn, toLessons } from './advantages.ts';
import { once, use, type LoopContext } from './context.ts';
import { explainedOn, fitCritic } from './critic-fit.ts';
import { loadGroups } from './groups.ts';
import { keepLearner } from './keep-learner.ts';
import { loadScored, rollOutTrainTasks } from './plain-rollouts.ts';
import type { Calibrations } from './returns.ts';

export interface Handoff {
  readonly kind: 'handoff';
  readonly critic: CheckpointRef;
  /** Digest of the maps that scored the rollouts. */
  readonly calibration: Digest;
  /** The critic whose weights were inherited; null when a fresh one was made (handoff.inherit = false). */
  readonly parent: CheckpointRef | null;
  readonly explainedVarianceBefore: number | null;
  readonly explainedVarianceAfter: number | null;
  readonly loss: number | null;
  readonly rollouts: readonly GroupRef[];
}

export async function handOffCritic(
  context: LoopContext,
  place: Pick<Place, 'generation' | 'stageIndex'>,
  critic: CheckpointRef,
  policy: CheckpointRef,
  calibrations: Calibrations,
): Promise<Handoff> {
  const { config, model, weights, tokenizer } = context;
  const settings = config.handoff;
  const at = (step: string): Place => ({ ...place, step, iteration: 0, group: 0 });
  const probe = await rollOutTrainTasks(context, at('handoff-probe'), policy, settings.probeEpisodes, {
    purpose: 'probe',
  });
  const probeTasks = new Set((await loadGroups(context, probe)).map(({ taskId }) => taskId));
  const rollouts = await rollOutTrainTasks(context, at('handoff-rollout'), policy, settings.episodes, {
    without: probeTasks,
  });
  return once<Handoff>(context, at('handoff'), async () => {
    const scored = await loadScored(context, rollouts, calibrations);
    const lessons = toLessons(scored, null, config);
    const start = settings.inherit
      ? await weights.load(critic)
      : criticFromPolicy(model, await weights.load(policy), meanReturn(lessons));
    const learner = openLearner('critic', model, start, config.optimizer, tokenizer.vocabSize);
    if (!settings.inherit) disposeParameters(start);
    const probed = toLessons(await loadScored(context, probe, calibrations), null, config);
    const before = explainedOn(context, learner.parameters, probed);
    const seed = seedOf({ runSeed: config.seed, ...at('handoff'), purpose: 'order handoff', groupIndex: 0 });
    const loss = await fitCritic(context, learner, lessons, settings, randomStream(seed));
    const after = explainedOn(context, learner.parameters, probed);
    const next = await keepLearner(context, learner, false);
    return {
      uses: [
        use('parent', settings.inherit ? critic : policy),
        use('policy', policy),
        ...rollouts.map((group) => use('fitted', group)),
        ...probe.map((group) => use('probe', group)),
      ],
      content: {
        kind: 'handoff',
        critic: next,
        calibration: digestOf(calibrations),
        parent: settings.inherit ? critic : null,
        explainedVarianceBefore: before,
        explainedVarianceAfter: after,
        loss,
        rollouts,
      },
      blobs: [next.digest],
    };
  });
}
