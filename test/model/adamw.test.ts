/** AdamW against the published formulas in float64, written out here once more; and what a bad gradient does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adamWStep, decayedNames, freshOptimizer, type AdamWOptions } from '../../model/adamw.ts';
import { openBackend } from '../../model/backend.ts';
import { disposeParameters, parameterSpecs, type Parameters } from '../../model/parameters.ts';
import { tf, type Tensor } from '../../model/tf.ts';
import { randomStream } from '../../rl/random-stream.ts';
import { maxDifference, randomParameters, smallConfig } from './small-models.ts';

await openBackend();

const CONFIG = smallConfig({ layers: 1 });

type Arrays = Record<string, number[]>;

function valuesOf(tensors: Parameters): Arrays {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, [...tensor.dataSync()]]));
}

function gradientAt(step: number, size: number): { tensors: Record<string, Tensor>; arrays: Arrays } {
  const stream = randomStream(70 + step);
  const tensors: Record<string, Tensor> = {};
  for (const { name, shape } of parameterSpecs(CONFIG, 'critic')) {
    const length = shape.reduce((product, side) => product * side, 1);
    const values = Float32Array.from({ length }, () => size * (stream.uniform() - 0.5));
    tensors[name] = tf.tensor(values, [...shape], 'float32');
  }
  return { tensors, arrays: valuesOf(tensors) };
}

/** One step: clip by global norm, moments, bias correction, decoupled decay of matrices. */
function reference(
  weights: Arrays,
  m: Arrays,
  v: Arrays,
  gradient: Arrays,
  t: number,
  rate: number,
  o: AdamWOptions,
  decayed: ReadonlySet<string>,
): number {
  const norm = Math.sqrt(Object.values(gradient).flat().reduce((sum, g) => sum + g * g, 0)); // prettier-ignore
  const scale = norm > o.clipNorm ? o.clipNorm / norm : 1;
  for (const [name, values] of Object.entries(weights)) {
    for (const i of values.keys()) {
      const g = (gradient[name]?.[i] as number) * scale;
      const m1 = o.beta1 * (m[name]?.[i] as number) + (1 - o.beta1) * g;
      const v1 = o.beta2 * (v[name]?.[i] as number) + (1 - o.beta2) * g * g;
      (m[name] as number[])[i] = m1;
      (v[name] as number[])[i] = v1;
      const update = m1 / (1 - o.beta1 ** t) / (Math.sqrt(v1 / (1 - o.beta2 ** t)) + o.epsilon);
      const decay = decayed.has(name) ? o.weightDecay * (values[i] as number) : 0;
      values[i] = (values[i] as number) - rate * (update + decay);
    }
  }
  return norm;
}

const OPTIONS: AdamWOptions = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };

for (const [title, options, size] of [
  ['clipped, with decay', OPTIONS, 1],
  ['below the clip', OPTIONS, 1e-3],
  ['without decay and clip', { ...OPTIONS, weightDecay: 0, clipNorm: Infinity }, 1],
  ['with a large epsilon', { ...OPTIONS, epsilon: 0.1, weightDecay: 0.3 }, 0.5],
] as const) {
  test(`eight steps equal the float64 reference: ${title}`, () => {
    const decayed = decayedNames(CONFIG, 'critic');
    let parameters = randomParameters(CONFIG, 'critic', 71);
    let state = freshOptimizer(CONFIG, 'critic');
    const weights = valuesOf(parameters);
    const m = valuesOf(state.firstMoments);
    const v = valuesOf(state.secondMoments);
    for (let t = 1; t <= 8; t += 1) {
      const gradient = gradientAt(t, size);
      const rate = 1e-2 / t;
      const norm = reference(weights, m, v, gradient.arrays, t, rate, options, decayed);
      const step = adamWStep(parameters, gradient.tensors, state, decayed, rate, options);
      tf.dispose(gradient.tensors);
      ({ parameters, state } = step);
      assert.ok(Math.abs(step.gradientNorm - norm) <= 1e-5 * norm, `norm ${step.gradientNorm}, reference ${norm}`);
      assert.equal(state.steps, t);
    }
    for (const [name, values] of Object.entries(valuesOf(parameters))) {
      assert.ok(maxDifference(values, weights[name] ?? []) < 5e-6, name);
      assert.ok(maxDifference([...(state.firstMoments[name]?.dataSync() ?? [])], m[name] ?? []) < 1e-6, name);
      assert.ok(maxDifference([...(state.secondMoments[name]?.dataSync() ?? [])], v[name] ?? []) < 1e-6, name);
    }
    for (const tensors of [parameters, state.firstMoments, state.secondMoments]) disposeParameters(tensors);
  });
}

test('decay applies to matrices, not to norms, biases, embeddings or heads', () => {
  const names = [...decayedNames(CONFIG, 'critic')].sort();
  assert.deepEqual(names, ['down', 'gate', 'output', 'qkv', 'up'].map((name) => `layer0.${name}`)); // prettier-ignore
});

test('a gradient that is not finite changes nothing and is told', () => {
  for (const bad of [NaN, Infinity]) {
    const parameters = randomParameters(CONFIG, 'critic', 72);
    const state = freshOptimizer(CONFIG, 'critic');
    const before = valuesOf(parameters);
    const { tensors } = gradientAt(1, 1);
    tensors['valueBias']?.dispose();
    tensors['valueBias'] = tf.tensor1d([bad]);
    const step = adamWStep(parameters, tensors, state, decayedNames(CONFIG, 'critic'), 1e-3, OPTIONS);
    assert.ok(!Number.isFinite(step.gradientNorm));
    assert.equal(step.state.steps, 0);
    assert.deepEqual(valuesOf(step.parameters), before);
    assert.ok(Object.values(valuesOf(step.state.firstMoments)).flat().every((value) => value === 0)); // prettier-ignore
    for (const owned of [tensors, parameters, state.firstMoments, state.secondMoments]) disposeParameters(owned);
  }
});
