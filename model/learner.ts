/**
 * One network being trained: weights, optimizer, and steps driven by losses that are plain functions on numbers. The
 * learner owns its tensors; `parameters` may be read between steps and must not be disposed by others.
 */
import { adamWStep, decayedNames, freshOptimizer, type AdamWOptions, type OptimizerState } from './adamw.ts';
import type { ModelConfig } from './model-config.ts';
import { cloneParameters, disposeParameters, type ModelRole, type Parameters } from './parameters.ts';
import { policyHead } from './policy-head.ts';
import type { PackedBatch } from './sequence-batch.ts';
import { tf, type Tensor } from './tf.ts';
import { runTrunk } from './transformer.ts';
import { valueHead } from './value-head.ts';

/** A loss over the batch's action tokens, with its derivatives; see rl/ for the formulas. */
export interface PolicyLossValue {
  readonly loss: number;
  readonly dLogProbs: ArrayLike<number>;
  readonly dEntropies: ArrayLike<number> | null;
}
export interface ValueLossValue {
  readonly loss: number;
  readonly dValues: ArrayLike<number>;
}

export interface StepResult {
  readonly loss: number;
  /** Before clipping. */
  readonly gradientNorm: number;
}

export interface Learner {
  readonly role: ModelRole;
  readonly parameters: Parameters;
  readonly optimizer: OptimizerState;
  policyStep(
    batch: PackedBatch,
    learningRate: number,
    temperature: number,
    loss: (logProbs: Float32Array, entropies: Float32Array) => PolicyLossValue,
  ): StepResult;
  valueStep(batch: PackedBatch, learningRate: number, loss: (values: Float32Array) => ValueLossValue): StepResult;
  dispose(): void;
}

/** Starts from copies of the given weights; `optimizer` (taken over) only when a stage is resumed. */
export function openLearner(
  role: ModelRole,
  config: ModelConfig,
  start: Parameters,
  options: AdamWOptions,
  tokenCount: number,
  optimizer: OptimizerState | null = null,
): Learner {
  const decayed = decayedNames(config, role);
  let parameters = cloneParameters(start);
  let state = optimizer ?? freshOptimizer(config, role);
  const update = (gradients: Record<string, Tensor>, learningRate: number): number => {
    const step = adamWStep(parameters, gradients, state, decayed, learningRate, options);
    tf.dispose(gradients);
    parameters = step.parameters;
    state = step.state;
    return step.gradientNorm;
  };
  return {
    role,
    get parameters() {
      return parameters;
    },
    get optimizer() {
      return state;
    },
    policyStep: (batch, learningRate, temperature, loss) => {
      let value = 0;
      const gradients = tf.tidy(() => {
        const trunk = runTrunk(parameters, config, batch);
        const head = policyHead(parameters, trunk.hidden, batch.targets, temperature, tokenCount);
        const result = loss(head.logProbs, head.entropies);
        value = result.loss;
        const { dHidden, dEmbed } = head.backward(result.dLogProbs, result.dEntropies);
        const all = trunk.backward(dHidden);
        // The embedding is tied: it is read at the input and at the output.
        all['embed'] = tf.add(all['embed'] as Tensor, dEmbed);
        return all;
      });
      return { loss: value, gradientNorm: update(gradients, learningRate) };
    },
    valueStep: (batch, learningRate, loss) => {
      let value = 0;
      const gradients = tf.tidy(() => {
        const trunk = runTrunk(parameters, config, batch);
        const head = valueHead(parameters, trunk.hidden);
        const result = loss(head.values);
        value = result.loss;
        const { dHidden, dHead, dBias } = head.backward(result.dValues);
        const all = trunk.backward(dHidden);
        all['valueHead'] = dHead;
        all['valueBias'] = dBias;
        return all;
      });
      return { loss: value, gradientNorm: update(gradients, learningRate) };
    },
    dispose: () => {
      disposeParameters(parameters);
      disposeParameters(state.firstMoments);
      disposeParameters(state.secondMoments);
    },
  };
}
