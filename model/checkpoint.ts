/**
 * Weights (and, within a stage, optimizer moments) as safetensors bytes and back. A checkpoint's public name is the
 * sha256 of those bytes; tensors of the optimizer carry the prefixes `first.` and `second.`.
 */
import { createHash } from 'node:crypto';
import type { Digest } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';
import type { OptimizerState } from './adamw.ts';
import type { ModelConfig } from './model-config.ts';
import { parameterSpecs, type ModelRole, type Parameters } from './parameters.ts';
import { decodeSafetensors, encodeSafetensors, type NamedArray } from './safetensors.ts';
import { tf, type Tensor } from './tf.ts';

export interface CheckpointContents {
  readonly role: ModelRole;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  /** Present in checkpoints that a stage may be resumed from; absent in those handed over. */
  readonly optimizer: OptimizerState | null;
}

export interface EncodedCheckpoint {
  readonly bytes: Uint8Array;
  readonly digest: Digest;
  /** Digest of the weights alone, whatever the optimizer: what a rollout says it sampled from. */
  readonly weightsDigest: Digest;
}

export function encodeCheckpoint(contents: CheckpointContents): EncodedCheckpoint {
  const arrays: Record<string, NamedArray> = {};
  addArrays(arrays, '', contents.parameters);
  const metadata = { role: contents.role, config: JSON.stringify(contents.config) };
  const weights = encodeSafetensors(arrays, metadata);
  const weightsDigest = digestOfFile(weights);
  if (contents.optimizer === null) return { bytes: weights, digest: weightsDigest, weightsDigest };
  addArrays(arrays, 'first.', contents.optimizer.firstMoments);
  addArrays(arrays, 'second.', contents.optimizer.secondMoments);
  const bytes = encodeSafetensors(arrays, { ...metadata, steps: String(contents.optimizer.steps) });
  return { bytes, digest: digestOfFile(bytes), weightsDigest };
}

/** Reads a checkpoint of the given role and shape; anything missing or shaped wrong is refused with both shapes. */
export function decodeCheckpoint(
  bytes: Uint8Array,
  role: ModelRole,
  config: ModelConfig,
  where: string,
): CheckpointContents {
  const { tensors, metadata } = decodeSafetensors(bytes, where);
  const steps = metadata['steps'];
  if (steps !== undefined && !/^\d+$/.test(steps)) {
    throw new Failure('model', `${where}: its step count is ${JSON.stringify(steps)}, not a whole number`, {
      subject: where,
    });
  }
  const prefixes = steps === undefined ? [''] : ['', 'first.', 'second.'];
  for (const prefix of prefixes) assertShapes(tensors, prefix, role, config, where);
  // A critic holds all of a policy's weights and would load as one.
  const stored = metadata['role'];
  if (stored !== undefined && stored !== role) {
    throw new Failure('model', `${where} is a ${stored}'s, not a ${role}'s`, { subject: where });
  }
  const take = (prefix: string): Parameters => toTensors(tensors, prefix, role, config);
  return {
    role,
    config,
    parameters: take(''),
    optimizer:
      steps === undefined
        ? null
        : { steps: Number(steps), firstMoments: take('first.'), secondMoments: take('second.') },
  };
}

function assertShapes(
  tensors: Readonly<Record<string, NamedArray>>,
  prefix: string,
  role: ModelRole,
  config: ModelConfig,
  where: string,
): void {
  for (const spec of parameterSpecs(config, role)) {
    const found = tensors[prefix + spec.name];
    const wanted = `[${spec.shape.join(', ')}]`;
    const shape = found === undefined ? 'absent' : `[${found.shape.join(', ')}]`;
    if (shape === wanted) continue;
    const message = `${where}: weight ${prefix}${spec.name} of the ${role} should be ${wanted} but is ${shape}`;
    throw new Failure('model', message, { subject: where });
  }
}

function addArrays(arrays: Record<string, NamedArray>, prefix: string, parameters: Parameters): void {
  for (const [name, tensor] of Object.entries(parameters)) {
    arrays[prefix + name] = { shape: tensor.shape, values: tensor.dataSync() as Float32Array };
  }
}

function toTensors(
  tensors: Readonly<Record<string, NamedArray>>,
  prefix: string,
  role: ModelRole,
  config: ModelConfig,
): Parameters {
  const out: Record<string, Tensor> = {};
  for (const spec of parameterSpecs(config, role)) {
    const found = tensors[prefix + spec.name] as NamedArray;
    out[spec.name] = tf.tensor(found.values, [...found.shape], 'float32');
  }
  return out;
}

export function digestOfFile(bytes: Uint8Array): Digest {
  return createHash('sha256').update(bytes).digest('hex');
}
