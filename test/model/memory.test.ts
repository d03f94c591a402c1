/** Nothing leaks: the number of tensors is the same before and after each kind of work, and over many steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBackend } from '../../model/backend.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../../model/checkpoint.ts';
import { openDecoder } from '../../model/decode.ts';
import { openLearner } from '../../model/learner.ts';
import { criticFromPolicy, disposeParameters, initialParameters } from '../../model/parameters.ts';
import { scorePolicy, scoreValues } from '../../model/score.ts';
import { packBatch } from '../../model/sequence-batch.ts';
import { tf } from '../../model/tf.ts';
import { randomSequences, smallConfig, TOKEN_COUNT } from './small-models.ts';

await openBackend();

const OPTIONS = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const sequences = randomSequences([8, 20, 33], 81);

function held(): { numTensors: number; numBytes: number } {
  const { numTensors, numBytes } = tf.memory();
  return { numTensors, numBytes };
}

for (const config of [smallConfig(), smallConfig({ lags: 0, kvHeads: 4 })]) {
  const what = `lags ${config.lags}`;

  test(`policy steps, with entropy and without: ${what}`, () => {
    const before = held();
    const parameters = initialParameters(config, 'policy', 1);
    const learner = openLearner('policy', config, parameters, OPTIONS, TOKEN_COUNT);
    const open = held();
    for (let step = 0; step < 5; step += 1) {
      learner.policyStep(packBatch(sequences), 1e-3, 1, (logProbs) => ({
        loss: 0,
        dLogProbs: new Float64Array(logProbs.length).fill(-0.1),
        dEntropies: step % 2 === 0 ? null : new Float64Array(logProbs.length).fill(0.01),
      }));
      assert.deepEqual(held(), open, `step ${step}`);
    }
    // A loss that throws must not leave the forward pass behind either.
    assert.throws(() => learner.policyStep(packBatch(sequences), 1e-3, 1, () => assert.fail('no loss')), /no loss/);
    assert.deepEqual(held(), open);
    learner.dispose();
    disposeParameters(parameters);
    assert.deepEqual(held(), before);
  });

  test(`value steps: ${what}`, () => {
    const before = held();
    const policy = initialParameters(config, 'policy', 1);
    const critic = criticFromPolicy(config, policy, 0.3);
    const learner = openLearner('critic', config, critic, OPTIONS, TOKEN_COUNT);
    const open = held();
    for (let step = 0; step < 5; step += 1) {
      learner.valueStep(packBatch(sequences), 1e-3, (values) => ({ loss: 0, dValues: values }));
      assert.deepEqual(held(), open, `step ${step}`);
    }
    learner.dispose();
    disposeParameters(critic);
    disposeParameters(policy);
    assert.deepEqual(held(), before);
  });

  test(`scoring: ${what}`, () => {
    const policy = initialParameters(config, 'policy', 1);
    const critic = criticFromPolicy(config, policy, 0.3);
    const open = held();
    scorePolicy(policy, config, sequences, 0.7, TOKEN_COUNT);
    scoreValues(critic, config, sequences);
    assert.deepEqual(held(), open);
    disposeParameters(critic);
    disposeParameters(policy);
  });

  test(`decoding, across blocks, with rows leaving: ${what}`, () => {
    const policy = initialParameters(config, 'policy', 1);
    const open = held();
    const decoder = openDecoder(policy, config, 16, TOKEN_COUNT);
    // A new number of rows or a new cache block brings constants for its shapes; within one, nothing is added.
    const changes = [0, 32, 40, 64];
    let { numTensors } = held();
    for (let step = 0; step < 70; step += 1) {
      if (step === 40) decoder.keep([0, 1, 2, 3, 4, 5, 6, 15]);
      decoder.step(new Int32Array(decoder.rows).fill(step % TOKEN_COUNT));
      if (changes.includes(step)) {
        assert.ok(held().numTensors <= numTensors + 12, `step ${step}: ${held().numTensors - numTensors} constants`);
        ({ numTensors } = held());
      }
      assert.equal(held().numTensors, numTensors, `step ${step}`);
    }
    decoder.dispose();
    assert.deepEqual(held(), open);
    disposeParameters(policy);
  });

  test(`checkpoints there and back: ${what}`, () => {
    const parameters = initialParameters(config, 'policy', 1);
    const open = held();
    const { bytes } = encodeCheckpoint({ role: 'policy', config, parameters, optimizer: null });
    disposeParameters(decodeCheckpoint(bytes, 'policy', config, 'test').parameters);
    assert.throws(() => decodeCheckpoint(bytes, 'critic', config, 'test'));
    assert.deepEqual(held(), open);
    disposeParameters(parameters);
  });
}

test('a critic made from a policy outlives it, and the other way round', () => {
  const config = smallConfig();
  const policy = initialParameters(config, 'policy', 2);
  const critic = criticFromPolicy(config, policy, 0.25);
  disposeParameters(policy);
  const values = scoreValues(critic, config, sequences);
  // A zero head: every value is its bias, the mean return.
  assert.ok(values.every((row) => row.every((value) => value === 0.25)));
  disposeParameters(critic);
});
