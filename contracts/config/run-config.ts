/**
 * The configuration of a run: every knob with its default (the `demo` preset's) and what it does. Sections are named
 * after the stages; formulas are in docs/formulas.md. Presets (infra/presets/*.json) override only what they change.
 */
import * as v from 'valibot';
import { choice, count, countOrAuto, flag, list, listOrNone, oneOf, real, realOrOff, section, text } from './fields.ts';

export const STAGE_KINDS = ['self-rewrite', 'policy-refine'] as const;
export type StageKind = (typeof STAGE_KINDS)[number];

const weight = v.pipe(v.number('a number >= 0'), v.finite('a number >= 0'), v.minValue(0, 'a number >= 0'));
const weights = {
  allowed: 'a list of 1 to 8 numbers >= 0, at least one of them > 0',
  most: 8,
  holds: (values: number[]) => values.some((value) => value > 0),
};

const tasks = v.strictObject({
  families: list(
    'Task families trained on, in rotation.',
    v.string('a text'),
    ['notes', 'config', 'tidy', 'audit', 'release', 'report'],
    { allowed: 'a list of at least one family name' },
  ),
  composition: text('The composition that is never trained, only reported.', 'migrate'),
  subGoalWeights: list('Weight of tasks with 1, 2, 3, ... sub-goals (mix K2).', weight, [0.15, 0.75, 0.1], weights),
  trainSubGoalWeights: listOrNone(
    'The same for train tasks, demonstrations too, where they differ from those that are measured (a curriculum).',
    weight,
    { ...weights, allowed: `${weights.allowed}, or null` },
  ),
  selection: count('Selection tasks: decide promotion and stop rules.', 200, { min: 8 }),
  heldOut: count('Held-out tasks: reported, decide nothing.', 400, { min: 8 }),
  heldOutComposition: count('Held-out tasks of the unseen composition.', 200, { min: 0 }),
  turns: count('Turn limit of a task.', 9, { min: 1, max: 64 }),
  tokensPerTurn: count('Tokens the policy may sample in one turn.', 16, { min: 2, max: 4096 }),
  context: count('Tokens of prompt, actions and observations together.', 256, { min: 32, max: 32768 }),
  commandSeconds: real('Wall seconds one command may take in the sandbox.', 3, { above: 0, max: 600 }),
});

const model = v.strictObject({
  dModel: count('Width of the residual stream.', 96, { min: 8 }),
  layers: count('Transformer blocks.', 2, { min: 1 }),
  heads: count('Query heads.', 4, { min: 1 }),
  kvHeads: count('Key and value heads (grouped-query attention).', 2, { min: 1 }),
  mlp: count('Width of the gated MLP.', 256, { min: 8 }),
  ropeBase: real('Base of the rotary positions.', 1000, { above: 1 }),
  lags: count('Former tokens whose embeddings are added to the input; 0 for real checkpoints.', 4, { min: 0, max: 8 }),
});

const rollout = v.strictObject({
  batch: count('Episodes advanced together; a multiple of 8.', 128, { min: 8, max: 4096 }),
  temperature: real('Sampling temperature of rollouts.', 1, { above: 0, max: 10 }),
  samplers: countOrAuto(
    'Processes that play episodes, a core each; 0: none, episodes are played where everything is computed; null: one per core, at most 4.',
    { min: 0, max: 64 },
  ),
  sandboxWorkers: count('Threads that run sandboxes, beside one in each sampler.', 2, { min: 0, max: 64 }),
});

const optimizer = v.strictObject({
  beta1: real('AdamW first moment decay.', 0.9, { min: 0, below: 1 }),
  beta2: real('AdamW second moment decay.', 0.95, { min: 0, below: 1 }),
  epsilon: real('AdamW epsilon.', 1e-8, { above: 0 }),
  weightDecay: real('AdamW decay of matrices.', 0.01, { min: 0 }),
  clipNorm: real('Global gradient norm clip.', 1, { above: 0 }),
});

const warmStart = v.strictObject({
  demonstrations: count('Episodes of the sloppy scripted agent to imitate, once each.', 17000),
  rewriteDemonstrations: count('Scripted partial rewrites to imitate, once each.', 4000),
  learningRate: real('Peak learning rate.', 3e-3, { above: 0 }),
  batch: count('Trajectories per optimizer step.', 16, { min: 1 }),
  warmUpSteps: count('Steps of linear warm-up.', 20),
  finalFraction: real('Share of the learning rate left at the end of the linear decay.', 0.05, { min: 0, max: 1 }),
});

const warmUpCritic = v.strictObject({
  iterations: count("Batches of rollouts at most; 0: a fresh value head on the policy's trunk (ablation).", 2),
  episodes: count('Episodes a batch.', 128, { min: 8 }),
  probeEpisodes: count('Episodes of the probe set.', 128, { min: 8 }),
  epochs: count('Passes over a batch.', 4, { min: 1 }),
  minibatch: count('Episodes per optimizer step.', 32, { min: 1 }),
  learningRate: real('Learning rate.', 1e-3, { above: 0 }),
  minExplainedVariance: real('Gate: explained variance on the probe set at which warm-up ends.', 0.2, { max: 1 }),
});

const handoff = v.strictObject({
  inherit: flag('The critic is inherited; false: a fresh one from the policy each time (ablation).', true),
  episodes: count('Rollouts of the new policy that the critic is re-calibrated on.', 128, { min: 8 }),
  probeEpisodes: count('Episodes of the probe set, disjoint from them.', 64, { min: 8 }),
  epochs: count('Passes over the rollouts.', 2, { min: 0 }),
  minibatch: count('Episodes per optimizer step.', 32, { min: 1 }),
  learningRate: real('Learning rate.', 1e-3, { above: 0 }),
});

const selfRewrite = v.strictObject({
  episodes: count('Plain episodes sampled first, on train tasks.', 768, { min: 8 }),
  maxParents: count('Parents rewritten in a round, newest first.', 768, { min: 8 }),
  earlierShare: real(
    'Share of the parents taken from what earlier stages left: accepted children, train rollouts, demonstrations.',
    0.1,
    { min: 0, max: 1 },
  ),
  parentsPerTask: count('Parents of one task at most.', 4, { min: 1 }),
  rewritesPerParent: count('Rewrites sampled of each parent.', 2, { min: 1 }),
  polish: flag('Rewrite strict parents into better strict children.', true),
  repair: flag('Rewrite partial parents into strict children.', true),
  epochs: count('Passes over the accepted children.', 3, { min: 1 }),
  batch: count('Trajectories per optimizer step.', 32, { min: 1 }),
  learningRate: real('Learning rate.', 8e-4, { above: 0 }),
  originalsPerChild: real('Original strict trajectories mixed in per accepted child.', 2, { min: 0 }),
  replay: count('Accepted children of earlier rounds mixed in, at most.', 600),
  replayPerTask: count('Accepted children of one task in the replay.', 10, { min: 1 }),
  fromBase: flag("Start each round's training from the run's start model instead of the current policy.", false),
});

const policyRefine = v.strictObject({
  iterations: count('Batches of rollouts.', 6, { min: 1 }),
  episodes: count('Episodes a batch.', 128, { min: 8 }),
  samplesPerTask: count('Episodes of one task in a batch.', 1, { min: 1 }),
  epochs: count('Passes over a batch.', 1, { min: 1 }),
  minibatch: count('Episodes per optimizer step.', 32, { min: 1 }),
  actorLearningRate: real('Learning rate of the policy.', 5e-4, { above: 0 }),
  criticLearningRate: real('Learning rate of the critic.', 1e-3, { above: 0 }),
  estimator: choice('Advantage estimator.', ['tb', 'token', 'turn'], 'tb'),
  gamma: real('Discount per turn (tb, turn) or per token (token).', 1, { above: 0, max: 1 }),
  lambda: real('GAE lambda of the actor.', 0.9, { min: 0, max: 1 }),
  criticLambda: realOrOff('GAE lambda of the critic targets; null: that of the actor.', 1, { min: 0, max: 1 }),
  adaptiveLambda: realOrOff('Alpha of lambda = 1 - 1/(alpha * turns); null: off.', null, { above: 0 }),
  clipLow: real('Ratio clip below.', 0.2, { above: 0, below: 1 }),
  clipHigh: real('Ratio clip above.', 0.28, { above: 0 }),
  dualClip: realOrOff('Dual clip for negative advantages; null: off.', 3, { above: 1 }),
  valueClip: real('Clip of the value update.', 0.2, { above: 0 }),
  klCoefficient: real("Weight of the KL to the stage's start policy.", 0.02, { min: 0 }),
  klTarget: realOrOff('Target of the adaptive KL coefficient; null: fixed.', null, { above: 0 }),
  entropyCoefficient: real('Weight of the entropy bonus.', 0.003, { min: 0 }),
  importanceLimit: real('Upper bound of the importance weight of the learner over the sampler.', 2, { above: 0 }),
});

const reward = v.strictObject({
  successPrioritized: flag(
    'SPR; false: plain partial credit with the same costs, which needs allowPartialAboveSuccess (ablation).',
    true,
  ),
  turnCost: real('c: what a success loses over the whole turn limit.', 0.2, { min: 0, below: 1 }),
  partialScale: real('b: what complete partial progress is worth.', 0.5, { min: 0, below: 1 }),
  limitPenalty: real('d: lost by failures that end at a limit.', 0.15, { min: 0 }),
  familyWeight: real('w_F: weight of the dense family reward; 0: off.', 0.5, { min: 0 }),
  calibrate: flag('Calibrate progress per family (false: raw progress).', true),
  pseudoCount: real('k: strength of the identity in the calibration.', 20, { min: 0 }),
  allowPartialAboveSuccess: flag('Waive the check that every success outranks every failure (ablations only).', false),
});

const promotion = v.strictObject({
  alpha: real('Refuse at a one-sided McNemar p below this.', 0.05, { min: 0, max: 1 }),
  maxDrop: real('Refuse when the selection rate falls by more than this.', 0.05, { min: 0, max: 1 }),
});

const stop = v.strictObject({
  strictTarget: realOrOff('Stop when the strict rate on selection tasks reaches this; null: off.', null, {
    above: 0,
    max: 1,
  }),
  patience: count('Generations without a new best.', 3, { min: 1 }),
  maxKl: real('Nats per token from the start of a stage.', 0.5, { above: 0 }),
  turnLengthGrowth: real("Tokens per turn over the stage's start.", 2, { above: 1 }),
  limitHitShare: real('Share of turns that hit the per-turn token limit.', 0.2, { above: 0, max: 1 }),
  minutes: realOrOff('Wall-clock budget; null: none.', null, { above: 0 }),
  tokens: realOrOff('Sampled-token budget; null: none.', null, { above: 0 }),
  episodes: realOrOff('Episode budget; null: none.', null, { above: 0 }),
});

export const runConfigSchema = v.strictObject({
  preset: text('Name of the preset this configuration started from.', 'demo'),
  seed: count('The number that alone decides randomness.', 0, { min: 0, max: 4294967295 }),
  generations: count('Generations after the warm-up critic.', 4, { min: 1, max: 1000 }),
  stages: list(
    'Stages of a generation, in order; a kind may stand twice.',
    v.picklist(STAGE_KINDS, oneOf(STAGE_KINDS)),
    ['self-rewrite', 'self-rewrite', 'policy-refine'],
    { allowed: `a list of at least one of ${STAGE_KINDS.join(', ')}` },
  ),
  tasks: section(tasks),
  model: section(model),
  rollout: section(rollout),
  optimizer: section(optimizer),
  warmStart: section(warmStart),
  warmUpCritic: section(warmUpCritic),
  handoff: section(handoff),
  selfRewrite: section(selfRewrite),
  policyRefine: section(policyRefine),
  reward: section(reward),
  promotion: section(promotion),
  stop: section(stop),
});

export type RunConfig = Readonly<v.InferOutput<typeof runConfigSchema>>;
export type RunConfigInput = v.InferInput<typeof runConfigSchema>;
