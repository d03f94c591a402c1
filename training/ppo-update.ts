/**
 * The optimizer steps of one policy-refine iteration: per minibatch of whole episodes, one step of the actor on
 * clipped policy loss + KL to the stage's start - entropy bonus, and one of the critic on the clipped value loss.
 */
import type { Learner } from '../model/learner.ts';
import { packBatch } from '../model/sequence-batch.ts';
import { klPenalty } from '../rl/kl.ts';
import { policyLoss } from '../rl/ppo.ts';
import type { RandomStream } from '../rl/random-stream.ts';
import { joined, type Lesson } from './advantages.ts';
import { checkedStep } from './checked-step.ts';
import { breathe, type LoopContext } from './context.ts';
import { criticStep } from './critic-fit.ts';
import { dealMinibatches } from './minibatches.ts';

/** Arrays over the trajectory's action tokens, [N]; `advantages` whitened over the iteration. */
export interface ActorLesson extends Lesson {
  readonly oldLogProbs: Float64Array;
  readonly referenceLogProbs: Float64Array;
  /** Truncated weight of the learner's numerics over the sampler's. */
  readonly importance: Float64Array;
}

export interface UpdateSettings {
  readonly klCoefficient: number;
  /** False when all advantages are 0: the actor then takes no step at all, the critic does. */
  readonly stepActor: boolean;
  readonly stream: RandomStream;
}

/** Means over the iteration's minibatches. */
export interface UpdateMetrics {
  readonly policyLoss: number | null;
  readonly valueLoss: number;
  readonly entropy: number | null;
  readonly clipFraction: number | null;
  /** k3 to the stage's start policy during the steps, nats per token: sees a drift one iteration earlier. */
  readonly updateKl: number | null;
  readonly gradientNorm: number | null;
}

interface ActorStep {
  readonly loss: number;
  readonly entropy: number;
  readonly clipFraction: number;
  readonly kl: number;
  readonly gradientNorm: number;
}

export async function updateActorAndCritic(
  context: LoopContext,
  actor: Learner,
  critic: Learner,
  lessons: readonly ActorLesson[],
  settings: UpdateSettings,
): Promise<UpdateMetrics> {
  const { policyRefine } = context.config;
  const actorSteps: ActorStep[] = [];
  const valueLosses: number[] = [];
  const minibatches = Array.from({ length: policyRefine.epochs }, () =>
    dealMinibatches(lessons, policyRefine.minibatch, settings.stream),
  ).flat();
  for (const [i, members] of minibatches.entries()) {
    if (settings.stepActor) actorSteps.push(actorStep(context, actor, members, settings.klCoefficient));
    valueLosses.push(criticStep(critic, members, policyRefine.criticLearningRate, policyRefine.valueClip));
    context.report({
      kind: 'work',
      what: 'steps',
      done: i + 1,
      of: minibatches.length,
      loss: actorSteps.at(-1)?.loss ?? null,
    });
    await breathe(context);
  }
  return {
    policyLoss: mean(actorSteps.map((step) => step.loss)),
    valueLoss: mean(valueLosses) ?? 0,
    entropy: mean(actorSteps.map((step) => step.entropy)),
    clipFraction: mean(actorSteps.map((step) => step.clipFraction)),
    updateKl: mean(actorSteps.map((step) => step.kl)),
    gradientNorm: mean(actorSteps.map((step) => step.gradientNorm)),
  };
}

function actorStep(
  context: LoopContext,
  actor: Learner,
  members: readonly ActorLesson[],
  klCoefficient: number,
): ActorStep {
  const { policyRefine, rollout } = context.config;
  const advantages = joined(members.map((lesson) => lesson.advantages));
  const oldLogProbs = joined(members.map((lesson) => lesson.oldLogProbs));
  const references = joined(members.map((lesson) => lesson.referenceLogProbs));
  const importance = joined(members.map((lesson) => lesson.importance));
  let entropy = 0;
  let clipFraction = 0;
  let kl = 0;
  const step = () =>
    actor.policyStep(packBatch(members), policyRefine.actorLearningRate, rollout.temperature, (logProbs, entropies) => {
      const n = logProbs.length;
      const ppo = policyLoss({
        logProbs,
        oldLogProbs,
        advantages,
        importanceWeights: importance,
        clipLow: policyRefine.clipLow,
        clipHigh: policyRefine.clipHigh,
        dualClip: policyRefine.dualClip,
      });
      const penalty = klPenalty(logProbs, references);
      kl = penalty.mean ?? 0;
      entropy = entropies.reduce((sum, one) => sum + one, 0) / n;
      clipFraction = ppo.clipFraction;
      const surrogate = ppo.perToken.reduce((sum, one) => sum + one, 0) / n;
      return {
        loss: surrogate + klCoefficient * kl - policyRefine.entropyCoefficient * entropy,
        dLogProbs: ppo.gradient.map((slope, i) => (slope + klCoefficient * (penalty.gradient[i] as number)) / n),
        dEntropies: new Float64Array(n).fill(-policyRefine.entropyCoefficient / n),
      };
    });
  const result = checkedStep('policy update', members, step);
  return { ...result, entropy, clipFraction, kl };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
