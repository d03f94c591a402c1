/** One position of a batch: the forward pass of the policy against its key-value cache. Called by model/decode.ts. */
import type { StepKernels } from './decode-kernels.ts';
import type { RotaryTables } from './layers/rotary.ts';
import { swiglu } from './layers/swiglu.ts';
import { headSize, type ModelConfig } from './model-config.ts';
import { batchMatmul, matmul } from './ops.ts';
import { weight, type Parameters } from './parameters.ts';
import { tf, type Tensor, type Tensor2D, type Tensor3D } from './tf.ts';

export type LayerCache = {
  /** [B * kvHeads, capacity, headSize]. */
  readonly keys: Tensor3D;
  readonly values: Tensor3D;
};

/** What is the same at all positions. */
export interface StepModel {
  readonly parameters: Parameters;
  readonly config: ModelConfig;
  readonly kernels: StepKernels;
  /** The embedding, turned: [D, V]. */
  readonly head: Tensor2D;
  /** Of what only pads the vocabulary: [1, V]. */
  readonly mask: Tensor2D;
}

export interface StepInput {
  /** One per row. */
  readonly tokens: Int32Array;
  /** Those before it, newest first. */
  readonly recent: readonly Int32Array[];
  readonly position: number;
  readonly capacity: number;
  /** Of this position alone. */
  readonly tables: RotaryTables;
  readonly caches: readonly LayerCache[];
}

type Writer = ReturnType<StepKernels['writer']>;

/** Logits [B, V] for the next token, and the caches, which may be the given ones, written in place. */
export function runStep(model: StepModel, input: StepInput): [Tensor, LayerCache[]] {
  const { parameters, config, kernels, head, mask } = model;
  const { tokens, tables, position, capacity, caches } = input;
  let x = embedStep(model, input);
  const look = lookMask(position, capacity);
  const write = kernels.writer(tokens.length * config.kvHeads, capacity, position);
  const next: LayerCache[] = [];
  for (let layer = 0; layer < config.layers; layer += 1) {
    const of = (name: string): Tensor => weight(parameters, `layer${layer}.${name}`);
    const qkv = matmul(kernels.norm(x, of('attentionNorm')), of('qkv'));
    const attended = attendStep(model, qkv, tables, look, write, caches[layer] as LayerCache);
    next.push(attended.cache);
    x = tf.add(x, matmul(attended.output, of('output')));
    x = tf.add(x, swiglu(kernels.norm(x, of('mlpNorm')), of('gate'), of('up'), of('down')).output);
  }
  const hidden = kernels.norm(x, weight(parameters, 'finalNorm'));
  return [tf.add(matmul(hidden, head), mask), next];
}

function embedStep({ parameters, config, kernels }: StepModel, { tokens, recent }: StepInput): Tensor2D {
  const own = tf.gather(weight(parameters, 'embed'), tf.tensor1d(tokens, 'int32')) as Tensor2D;
  if (config.lags === 0) return own;
  const ids = new Int32Array(tokens.length * config.lags);
  for (let row = 0; row < tokens.length; row += 1) {
    for (let q = 0; q < config.lags; q += 1) {
      ids[row * config.lags + q] = q * config.vocabSize + (recent[q]?.[row] ?? 0);
    }
  }
  const lagged = tf.gather(weight(parameters, 'lag'), tf.tensor1d(ids, 'int32'));
  return tf.add(own, tf.sum(kernels.shape(lagged, [tokens.length, config.lags, config.dModel]), 1));
}

/** One query position against the cache, after writing this position's key and value into its slot. */
function attendStep(
  { config, kernels }: StepModel,
  qkv: Tensor2D,
  tables: RotaryTables,
  look: Tensor3D,
  write: Writer,
  cache: LayerCache,
): { readonly output: Tensor2D; readonly cache: LayerCache } {
  const { heads, kvHeads } = config;
  const { shape, cut } = kernels;
  const size = headSize(config);
  const rows = qkv.shape[0];
  const [straight, value] = cut(qkv, (heads + kvHeads) * size);
  const [query, key] = cut(turn(kernels, straight, tables), heads * size);
  const keys = write(cache.keys, shape(key, [rows * kvHeads, size]) as Tensor2D);
  const values = write(cache.values, shape(value, [rows * kvHeads, size]) as Tensor2D);
  const grouped = shape(query, [rows * kvHeads, heads / kvHeads, size]);
  const weights = tf.softmax(tf.add(batchMatmul(grouped, keys, false, true), look));
  const output = shape(batchMatmul(weights, values), [rows, heads * size]) as Tensor2D;
  return { output, cache: { keys, values } };
}

/** layers/rotary.ts at one position: x [B, (heads + kvHeads) * headSize]. */
function turn({ shape }: StepKernels, x: Tensor2D, { cos, sin, rotation }: RotaryTables): Tensor2D {
  const [rows, width] = x.shape;
  const size = rotation.shape[0] ?? 1;
  const rotated = shape(matmul(shape(x, [(rows * width) / size, size]), rotation), [rows, width]);
  return tf.add(tf.mul(x, shape(cos, [1, width])), tf.mul(rotated, shape(sin, [1, width])));
}

/** [1, 1, capacity]: 0 up to the position, -1e9 beyond. */
function lookMask(position: number, capacity: number): Tensor3D {
  return tf.tensor3d(new Float32Array(capacity).fill(-1e9, position + 1), [1, 1, capacity]);
}
