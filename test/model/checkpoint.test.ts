/** Checkpoints: weights and moments there and back, names by content, and refusal of the wrong shape with both shapes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adamWStep, decayedNames, freshOptimizer } from '../../model/adamw.ts';
import { openBackend } from '../../model/backend.ts';
import { decodeCheckpoint, encodeCheckpoint, type CheckpointContents } from '../../model/checkpoint.ts';
import { cloneParameters, criticFromPolicy, initialParameters, type Parameters } from '../../model/parameters.ts';
import { decodeSafetensors, encodeSafetensors, type NamedArray } from '../../model/safetensors.ts';
import { randomParameters, smallConfig } from './small-models.ts';

await openBackend();

const config = smallConfig();
const OPTIONS = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const policy = initialParameters(config, 'policy', 1);
const critic = criticFromPolicy(config, policy, 0.5);

function trained(): CheckpointContents {
  const start = cloneParameters(policy);
  const gradients = randomParameters(config, 'policy', 2);
  const fresh = freshOptimizer(config, 'policy');
  const { parameters, state } = adamWStep(start, gradients, fresh, decayedNames(config, 'policy'), 1e-2, OPTIONS);
  return { role: 'policy', config, parameters, optimizer: state };
}

function assertSame(a: Parameters | undefined, b: Parameters | undefined): void {
  assert.deepEqual(Object.keys(a ?? {}), Object.keys(b ?? {}));
  for (const [name, tensor] of Object.entries(a ?? {})) {
    assert.deepEqual(tensor.shape, b?.[name]?.shape);
    assert.deepEqual(tensor.dataSync(), b?.[name]?.dataSync());
  }
}

/** The file with some of its tensors changed or, where null, left out. */
function altered(
  bytes: Uint8Array,
  changes: Record<string, NamedArray | null>,
  words: Record<string, string> = {},
): Uint8Array {
  const { tensors, metadata } = decodeSafetensors(bytes, 'test');
  const all = Object.entries({ ...tensors, ...changes }).filter(([, array]) => array !== null);
  return encodeSafetensors(Object.fromEntries(all) as Record<string, NamedArray>, { ...metadata, ...words });
}

const zeros = (...shape: number[]): NamedArray => ({
  ...{ shape, values: new Float32Array(shape.reduce((total, side) => total * side, 1)) },
});

test('weights, moments and step count come back bit for bit', () => {
  const contents = trained();
  const read = decodeCheckpoint(encodeCheckpoint(contents).bytes, 'policy', config, 'test');
  assertSame(read.parameters, contents.parameters);
  assertSame(read.optimizer?.firstMoments, contents.optimizer?.firstMoments);
  assertSame(read.optimizer?.secondMoments, contents.optimizer?.secondMoments);
  assert.equal(read.optimizer?.steps, 1);
  const handed = decodeCheckpoint(encodeCheckpoint({ ...contents, optimizer: null }).bytes, 'policy', config, 'test');
  assert.equal(handed.optimizer, null);
});

test('equal weights have equal bytes and digests; moments change the file’s name, not that of the weights', () => {
  const contents = trained();
  const full = encodeCheckpoint(contents);
  const bare = encodeCheckpoint({ ...contents, optimizer: null });
  assert.deepEqual(encodeCheckpoint(trained()), full);
  assert.equal(full.weightsDigest, bare.weightsDigest);
  assert.equal(bare.digest, bare.weightsDigest);
  assert.notEqual(full.digest, bare.digest);
  const other = initialParameters(config, 'policy', 2);
  assert.notEqual(encodeCheckpoint({ ...contents, parameters: other }).weightsDigest, full.weightsDigest);
});

test('a critic whose head is missing or misshaped is refused with both shapes named', () => {
  const { bytes } = encodeCheckpoint({ role: 'critic', config, parameters: critic, optimizer: null });
  const refusal = (file: Uint8Array, message: RegExp): void => {
    assert.throws(() => decodeCheckpoint(file, 'critic', config, 'checkpoint abc'), { boundary: 'model', message });
  };
  refusal(
    altered(bytes, { valueHead: null }),
    /^checkpoint abc: weight valueHead of the critic should be \[16, 1\] but is absent$/,
  );
  refusal(altered(bytes, { valueHead: zeros(16, 2) }), /valueHead of the critic should be \[16, 1\] but is \[16, 2\]$/);
  refusal(altered(bytes, { valueHead: zeros(1, 16) }), /should be \[16, 1\] but is \[1, 16\]$/);
  refusal(altered(bytes, { valueBias: zeros() }), /valueBias of the critic should be \[1\] but is \[\]$/);
  // A policy has no value head: it is no critic.
  refusal(
    encodeCheckpoint({ role: 'policy', config, parameters: policy, optimizer: null }).bytes,
    /valueHead .* but is absent$/,
  );
});

test('weights of another model are refused', () => {
  const { bytes } = encodeCheckpoint({ role: 'policy', config, parameters: policy, optimizer: null });
  for (const [other, message] of [
    [smallConfig({ vocabSize: 32 }), /embed of the policy should be \[32, 16\] but is \[24, 16\]/],
    [smallConfig({ kvHeads: 4 }), /layer0\.qkv of the policy should be \[16, 48\] but is \[16, 32\]/],
    [smallConfig({ layers: 3 }), /layer2\.attentionNorm of the policy should be \[16\] but is absent/],
    [smallConfig({ mlp: 32 }), /layer0\.gate of the policy should be \[16, 32\] but is \[16, 24\]/],
  ] as const) {
    assert.throws(() => decodeCheckpoint(bytes, 'policy', other, 'test'), { boundary: 'model', message });
  }
});

test('moments that are missing or misshaped, and a senseless step count, are refused', () => {
  const { bytes } = encodeCheckpoint(trained());
  const refusal = (file: Uint8Array, message: RegExp): void => {
    assert.throws(() => decodeCheckpoint(file, 'policy', config, 'test'), { boundary: 'model', message });
  };
  refusal(altered(bytes, { 'first.embed': null }), /first\.embed of the policy should be \[24, 16\] but is absent/);
  refusal(
    altered(bytes, { 'second.finalNorm': zeros(8) }),
    /second\.finalNorm of the policy should be \[16\] but is \[8\]/,
  );
  for (const steps of ['NaN', '', '-1', '1.5', '1e9']) refusal(altered(bytes, {}, { steps }), /its step count is/);
});

test('a critic is not taken for a policy', () => {
  const { bytes } = encodeCheckpoint({ role: 'critic', config, parameters: critic, optimizer: null });
  assert.throws(() => decodeCheckpoint(bytes, 'policy', config, 'the file'), /the file is a critic's, not a policy's/);
});
