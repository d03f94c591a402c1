/**
 * Every hand-written gradient against central differences of the forward pass: policy (with entropy and temperature)
 * and value head, for every shape. The gradient is read where training reads it: with beta1 = 0 the first moment after
 * one step is the gradient itself.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdamWOptions } from '../../model/adamw.ts';
import { openBackend } from '../../model/backend.ts';
import { openLearner, type Learner } from '../../model/learner.ts';
import type { ModelConfig } from '../../model/model-config.ts';
import { disposeParameters, weight, type ModelRole, type Parameters } from '../../model/parameters.ts';
import { scorePolicy, scoreValues } from '../../model/score.ts';
import { packBatch, type Sequence } from '../../model/sequence-batch.ts';
import { tf } from '../../model/tf.ts';
import { randomStream, type RandomStream } from '../../rl/random-stream.ts';
import { randomParameters, randomSequences, SHAPES, shapeName, smallConfig, TOKEN_COUNT } from './small-models.ts';

await openBackend();

const RAW: AdamWOptions = { beta1: 0, beta2: 0.9, epsilon: 1e-8, weightDecay: 0, clipNorm: Infinity };
const STEP = 2e-2;

/** The gradients of one step of the learner, as plain arrays. */
function gradientsOf(config: ModelConfig, role: ModelRole, start: Parameters, step: (learner: Learner) => void) {
  const learner = openLearner(role, config, start, RAW, TOKEN_COUNT);
  step(learner);
  const gradients = Object.entries(learner.optimizer.firstMoments).map(
    ([name, tensor]) => [name, Float32Array.from(tensor.dataSync())] as const,
  );
  learner.dispose();
  return gradients;
}

/** The loss with one weight moved along a direction. */
function moved(
  parameters: Parameters,
  name: string,
  direction: Float32Array,
  by: number,
  loss: (p: Parameters) => number,
): number {
  const base = weight(parameters, name);
  const values = base.dataSync().map((value, i) => value + by * (direction[i] as number));
  const tensor = tf.tensor(values, base.shape, 'float32');
  const result = loss({ ...parameters, [name]: tensor });
  tensor.dispose();
  return result;
}

const norm = (values: Float32Array): number => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

/** Along the gradient, along a random direction, and along single elements. */
function directions(gradient: Float32Array, stream: RandomStream): Float32Array[] {
  const length = norm(gradient);
  const random = gradient.map(() => stream.uniform() - 0.5);
  const randomLength = norm(random);
  const largest = gradient.reduce((best, value, i) => (Math.abs(value) > Math.abs(gradient[best] ?? 0) ? i : best), 0);
  const single = (index: number): Float32Array => gradient.map((_, i) => (i === index ? 1 : 0));
  return [
    gradient.map((value) => value / length),
    random.map((value) => value / randomLength),
    single(largest),
    single(stream.int(gradient.length)),
  ];
}

function compare(
  parameters: Parameters,
  gradients: ReturnType<typeof gradientsOf>,
  loss: (p: Parameters) => number,
): void {
  assert.deepEqual(gradients.map(([name]) => name).sort(), Object.keys(parameters).sort()); // prettier-ignore
  const stream = randomStream(99);
  for (const [name, gradient] of gradients) {
    const size = norm(gradient);
    assert.ok(size > 1e-3, `the gradient of ${name} is ${size}: nothing to compare`);
    for (const [k, direction] of directions(gradient, stream).entries()) {
      const analytic = gradient.reduce((sum, value, i) => sum + value * (direction[i] as number), 0);
      const central = (step: number): number =>
        (moved(parameters, name, direction, step, loss) - moved(parameters, name, direction, -step, loss)) / (2 * step);
      // Richardson: the error of second order cancels, so that the step may be large against float32's noise.
      const numeric = (4 * central(STEP / 2) - central(STEP)) / 3;
      const message = `${name}, direction ${k}: analytic ${analytic}, numeric ${numeric}, norm ${size}`;
      assert.ok(Math.abs(analytic - numeric) <= 2e-3 * size + 1e-3, message);
    }
  }
}

function coefficients(sequences: readonly Sequence[], seed: number): Float64Array {
  const stream = randomStream(seed);
  const actions = sequences.reduce((sum, { actionMask }) => sum + actionMask.reduce((a, b) => a + b, 0), 0);
  return Float64Array.from({ length: actions }, () => 2 * stream.uniform() - 1);
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, value, i) => sum + value * (b[i] as number), 0);

const LENGTHS = [9, 16, 12];

for (const config of SHAPES) {
  test(`policy gradients, with entropy, at two temperatures: ${shapeName(config)}`, () => {
    const sequences = randomSequences(LENGTHS, 31);
    const parameters = randomParameters(config, 'policy', 32);
    const onLogProbs = coefficients(sequences, 33);
    const onEntropies = coefficients(sequences, 34);
    for (const temperature of [1, 0.7]) {
      const lossOf = (tried: Parameters): number => {
        const scores = scorePolicy(tried, config, sequences, temperature, TOKEN_COUNT);
        const all = (take: (score: (typeof scores)[number]) => Float64Array): number[] =>
          scores.flatMap((s) => [...take(s)]);
        return dot(all((s) => s.logProbs), onLogProbs) + dot(all((s) => s.entropies), onEntropies); // prettier-ignore
      };
      const gradients = gradientsOf(config, 'policy', parameters, (learner) => {
        learner.policyStep(packBatch(sequences), 1e-3, temperature, () => ({
          ...{ loss: 0, dLogProbs: onLogProbs, dEntropies: onEntropies },
        }));
      });
      compare(parameters, gradients, lossOf);
    }
    disposeParameters(parameters);
  });

  test(`value gradients: ${shapeName(config)}`, () => {
    const sequences = randomSequences(LENGTHS, 41);
    const parameters = randomParameters(config, 'critic', 42);
    const targets = coefficients(sequences, 43);
    const lossOf = (tried: Parameters): number =>
      scoreValues(tried, config, sequences)
        .flatMap((values) => [...values])
        .reduce((sum, value, i) => sum + 0.5 * (value - (targets[i] as number)) ** 2, 0);
    const gradients = gradientsOf(config, 'critic', parameters, (learner) => {
      learner.valueStep(packBatch(sequences), 1e-3, (values) => ({
        ...{ loss: 0, dValues: Array.from(values, (value, i) => value - (targets[i] as number)) },
      }));
    });
    compare(parameters, gradients, lossOf);
    disposeParameters(parameters);
  });
}

test('gradients without an entropy term are those with a zero one, bit for bit', () => {
  const config = smallConfig();
  const sequences = randomSequences(LENGTHS, 51);
  const parameters = randomParameters(config, 'policy', 52);
  const onLogProbs = coefficients(sequences, 53);
  const withEntropy = (dEntropies: Float64Array | null) =>
    gradientsOf(config, 'policy', parameters, (learner) => {
      learner.policyStep(packBatch(sequences), 1e-3, 1, () => ({ loss: 0, dLogProbs: onLogProbs, dEntropies }));
    });
  const zero = withEntropy(new Float64Array(onLogProbs.length));
  for (const [i, [name, gradient]] of withEntropy(null).entries()) {
    assert.deepEqual(gradient.map((x) => x + 0), zero[i]?.[1].map((x) => x + 0), name); // prettier-ignore
  }
  disposeParameters(parameters);
});

test('padding and neighbours in the batch do not enter: the gradient of a batch is the sum of its members’', () => {
  const config = smallConfig();
  const sequences = randomSequences([5, 30, 17], 61);
  const parameters = randomParameters(config, 'policy', 62);
  const gradientsFor = (members: readonly Sequence[]) =>
    gradientsOf(config, 'policy', parameters, (learner) => {
      learner.policyStep(packBatch(members), 1e-3, 1, (logProbs) => ({
        ...{ loss: 0, dLogProbs: new Float64Array(logProbs.length).fill(-1), dEntropies: null },
      }));
    });
  const whole = gradientsFor(sequences);
  const parts = sequences.map((sequence) => gradientsFor([sequence]));
  for (const [i, [name, gradient]] of whole.entries()) {
    for (const [k, value] of gradient.entries()) {
      const sum = parts.reduce((total, part) => total + (part[i]?.[1][k] ?? NaN), 0);
      assert.ok(Math.abs(value - sum) < 2e-4, `${name}[${k}]: ${value} against ${sum}`);
    }
  }
  disposeParameters(parameters);
});
