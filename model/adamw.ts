/**
 * AdamW (Loshchilov & Hutter 2019) with bias correction and a global-norm clip. Decay applies to matrices only.
 * The optimizer owns its moments; `step` replaces the weights and returns the gradient norm before clipping.
 */
import { parameterSpecs, weight, type ModelRole, type Parameters } from './parameters.ts';
import type { ModelConfig } from './model-config.ts';
import { tf, type Tensor } from './tf.ts';

export interface AdamWOptions {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Global norm that gradients are scaled down to; Infinity = off. */
  readonly clipNorm: number;
}

export interface OptimizerState {
  readonly steps: number;
  readonly firstMoments: Parameters;
  readonly secondMoments: Parameters;
}

/** Fresh moments and step count: what a handoff to a new stage starts with. */
export function freshOptimizer(config: ModelConfig, role: ModelRole): OptimizerState {
  const zeros = (): Parameters =>
    Object.fromEntries(parameterSpecs(config, role).map((spec) => [spec.name, tf.zeros([...spec.shape])]));
  return { steps: 0, firstMoments: zeros(), secondMoments: zeros() };
}

export interface AdamWStep {
  readonly parameters: Parameters;
  readonly state: OptimizerState;
  /** Global L2 norm of the gradients before clipping. */
  readonly gradientNorm: number;
}

/** One step; disposes the former weights and moments. A norm that is not finite changes nothing and is returned. */
export function adamWStep(
  parameters: Parameters,
  gradients: Readonly<Record<string, Tensor>>,
  state: OptimizerState,
  decayed: ReadonlySet<string>,
  learningRate: number,
  options: AdamWOptions,
): AdamWStep {
  const gradientNorm = globalNorm(gradients);
  if (!Number.isFinite(gradientNorm)) return { parameters, state, gradientNorm };
  const scale = Math.min(1, options.clipNorm / (gradientNorm + 1e-12));
  const steps = state.steps + 1;
  const correction1 = 1 - options.beta1 ** steps;
  const correction2 = 1 - options.beta2 ** steps;
  const next: Record<string, Tensor> = {};
  const first: Record<string, Tensor> = {};
  const second: Record<string, Tensor> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const gradient = gradients[name];
    if (gradient === undefined) throw new Error(`no gradient for ${name}`);
    const oldFirst = weight(state.firstMoments, name);
    const oldSecond = weight(state.secondMoments, name);
    [first[name], second[name], next[name]] = tf.tidy((): [Tensor, Tensor, Tensor] => {
      const g = scale === 1 ? gradient : tf.mul(gradient, scale);
      const m = tf.add(tf.mul(oldFirst, options.beta1), tf.mul(g, 1 - options.beta1));
      const v = tf.add(tf.mul(oldSecond, options.beta2), tf.mul(tf.square(g), 1 - options.beta2));
      // lr * (m / c1) / (sqrt(v / c2) + eps), with the constants gathered outside of the tensors
      const root = Math.sqrt(correction2);
      const update = tf.mul(tf.div(m, tf.add(tf.sqrt(v), options.epsilon * root)), (learningRate * root) / correction1);
      const shrunk =
        decayed.has(name) && options.weightDecay > 0 ? tf.mul(value, 1 - learningRate * options.weightDecay) : value;
      return [m, v, tf.sub(shrunk, update)];
    });
    value.dispose();
    oldFirst.dispose();
    oldSecond.dispose();
  }
  return { parameters: next, state: { steps, firstMoments: first, secondMoments: second }, gradientNorm };
}

/** Names of the weights that decay applies to. */
export function decayedNames(config: ModelConfig, role: ModelRole): ReadonlySet<string> {
  return new Set(parameterSpecs(config, role).flatMap((spec) => (spec.decay ? [spec.name] : [])));
}

function globalNorm(gradients: Readonly<Record<string, Tensor>>): number {
  return tf.tidy(() => {
    const squares = Object.values(gradients).map((gradient) => tf.sum(tf.square(gradient)));
    return Math.sqrt(tf.sum(tf.stack(squares)).dataSync()[0] ?? Number.NaN);
  });
}
