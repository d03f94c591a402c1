/**
 * Batched decoding with a key-value cache: all rows advance one position per step (a sampled or a forced token), so
 * every row stands at the same position and no padding logic is needed. The cache grows in blocks of fixed size, so
 * the shapes met are few; unwritten slots are zero and masked away. The number of rows is a multiple of 8: on the
 * native backend a row's numbers then depend on nothing but its own contents.
 */
import { rotaryTables, applyRotary, type RotaryTables } from './layers/rotary.ts';
import { rmsNorm } from './layers/rms-norm.ts';
import { swiglu } from './layers/swiglu.ts';
import { headSize, type ModelConfig } from './model-config.ts';
import { batchMatmul, matmul } from './ops.ts';
import { weight, type Parameters } from './parameters.ts';
import { paddingMask } from './policy-head.ts';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D } from './tf.ts';

/** Positions a cache block holds. */
const BLOCK = 32;
/** Rows are padded to a multiple of this. */
export const ROW_MULTIPLE = 8;

type LayerCache = {
  /** [B * kvHeads, capacity, headSize]. */
  readonly keys: Tensor3D;
  readonly values: Tensor3D;
};

export interface Decoder {
  /** Feeds one token per row; resolves to logits [B, vocabSize] for the next token, as a flat array. */
  step(tokens: Int32Array): Float32Array;
  /** Keeps the given rows, in that order; their number must be a multiple of 8. */
  keep(rows: readonly number[]): void;
  readonly rows: number;
  readonly position: number;
  dispose(): void;
}

export function openDecoder(parameters: Parameters, config: ModelConfig, rows: number, tokenCount: number): Decoder {
  assertRows(rows);
  const recent: Int32Array[] = [];
  const mask = paddingMask(config.vocabSize, tokenCount);
  // Turned once for all steps, as WASM is slow at a transposed right side, and native's product of 8 rows with one
  // differs in the last bits from that of 16 rows and more.
  const head = tf.tidy(() => tf.transpose(weight(parameters, 'embed')) as Tensor2D);
  let tables = blockTables(config, 0);
  let caches: LayerCache[] = Array.from({ length: config.layers }, () => emptyCache(config, rows, BLOCK));
  let position = 0;
  let width = rows;
  return {
    get rows() {
      return width;
    },
    get position() {
      return position;
    },
    step(tokens) {
      if (tokens.length !== width) throw new Error(`decoder of ${width} rows was given ${tokens.length} tokens`);
      const capacity = Math.ceil((position + 1) / BLOCK) * BLOCK;
      if (position % BLOCK === 0 && position > 0) {
        disposeTables(tables);
        tables = blockTables(config, position);
        caches = caches.map((cache) => growCache(config, cache, width));
      }
      const [logits, next] = tf.tidy(() =>
        runStep(parameters, config, tokens, recent, position, capacity, tables, caches, head, mask),
      );
      for (const cache of caches) disposeCache(cache);
      caches = next;
      position += 1;
      recent.unshift(tokens.slice());
      recent.length = Math.min(recent.length, config.lags);
      const flat = logits.dataSync() as Float32Array;
      logits.dispose();
      return flat;
    },
    keep(kept) {
      assertRows(kept.length);
      caches = caches.map((cache) => keepRows(config, cache, kept));
      for (const [i, tokens] of recent.entries()) recent[i] = Int32Array.from(kept, (row) => tokens[row] ?? 0);
      width = kept.length;
    },
    dispose() {
      for (const cache of caches) disposeCache(cache);
      disposeTables(tables);
      head.dispose();
      mask.dispose();
    },
  };
}

function runStep(
  parameters: Parameters,
  config: ModelConfig,
  tokens: Int32Array,
  recent: readonly Int32Array[],
  position: number,
  capacity: number,
  tables: RotaryTables,
  caches: readonly LayerCache[],
  head: Tensor2D,
  mask: Tensor2D,
): [Tensor, LayerCache[]] {
  let x = embedStep(parameters, config, tokens, recent);
  const here = tableRow(tables, position % BLOCK);
  const slot = slotMasks(position, capacity);
  const next: LayerCache[] = [];
  for (let layer = 0; layer < config.layers; layer += 1) {
    const of = (name: string): Tensor => weight(parameters, `layer${layer}.${name}`);
    const normed = rmsNorm(x, of('attentionNorm'), config.normEps).output;
    const attended = attendStep(config, matmul(normed, of('qkv')), here, slot, caches[layer] as LayerCache);
    next.push(attended.cache);
    x = tf.add(x, matmul(attended.output, of('output')));
    const forMlp = rmsNorm(x, of('mlpNorm'), config.normEps).output;
    x = tf.add(x, swiglu(forMlp, of('gate'), of('up'), of('down')).output);
  }
  const hidden = rmsNorm(x, weight(parameters, 'finalNorm'), config.normEps).output;
  return [tf.add(matmul(hidden, head), mask), next];
}

function embedStep(
  parameters: Parameters,
  config: ModelConfig,
  tokens: Int32Array,
  recent: readonly Int32Array[],
): Tensor2D {
  const own = tf.gather(weight(parameters, 'embed'), tf.tensor1d(tokens, 'int32')) as Tensor2D;
  if (config.lags === 0) return own;
  const ids = new Int32Array(tokens.length * config.lags);
  for (let row = 0; row < tokens.length; row += 1) {
    for (let q = 0; q < config.lags; q += 1) {
      ids[row * config.lags + q] = q * config.vocabSize + (recent[q]?.[row] ?? 0);
    }
  }
  const lagged = tf.gather(weight(parameters, 'lag'), tf.tensor1d(ids, 'int32'));
  return tf.add(own, tf.sum(tf.reshape(lagged, [tokens.length, config.lags, config.dModel]), 1));
}

/** One query position against the cache, after writing this position's key and value into its slot. */
function attendStep(
  config: ModelConfig,
  qkv: Tensor2D,
  here: RotaryTables,
  slot: { readonly write: Tensor3D; readonly look: Tensor3D },
  cache: LayerCache,
): { readonly output: Tensor2D; readonly cache: LayerCache } {
  const { heads, kvHeads } = config;
  const size = headSize(config);
  const rows = qkv.shape[0];
  const split = tf.reshape(qkv, [rows, heads + 2 * kvHeads, 1, size]);
  const rotated = applyRotary(tf.slice(split, [0, 0, 0, 0], [-1, heads + kvHeads, -1, -1]) as Tensor4D, here);
  const query = tf.reshape(tf.slice(rotated, [0, 0, 0, 0], [-1, heads, -1, -1]), [
    rows * kvHeads,
    heads / kvHeads,
    size,
  ]);
  const key = tf.reshape(tf.slice(rotated, [0, heads, 0, 0], [-1, kvHeads, -1, -1]), [rows * kvHeads, 1, size]);
  const value = tf.reshape(tf.slice(split, [0, heads + kvHeads, 0, 0], [-1, kvHeads, -1, -1]), [
    rows * kvHeads,
    1,
    size,
  ]);
  const keys = tf.add(cache.keys, tf.mul(key, slot.write)) as Tensor3D;
  const values = tf.add(cache.values, tf.mul(value, slot.write)) as Tensor3D;
  const weights = tf.softmax(tf.add(batchMatmul(query, keys, false, true), slot.look));
  return { output: tf.reshape(batchMatmul(weights, values), [rows, heads * size]), cache: { keys, values } };
}

/** write [1, capacity, 1]: 1 at the position's slot. look [1, 1, capacity]: 0 up to the position, -1e9 beyond. */
function slotMasks(position: number, capacity: number): { readonly write: Tensor3D; readonly look: Tensor3D } {
  const write = new Float32Array(capacity);
  write[position] = 1;
  const look = new Float32Array(capacity).fill(-1e9, position + 1);
  return { write: tf.tensor3d(write, [1, capacity, 1]), look: tf.tensor3d(look, [1, 1, capacity]) };
}

function blockTables(config: ModelConfig, start: number): RotaryTables {
  return rotaryTables(config, start, BLOCK);
}

function tableRow(tables: RotaryTables, offset: number): RotaryTables {
  return {
    cos: tf.slice(tables.cos, [0, 0, offset, 0], [-1, -1, 1, -1]),
    sin: tf.slice(tables.sin, [0, 0, offset, 0], [-1, -1, 1, -1]),
    rotation: tables.rotation,
  };
}

function emptyCache(config: ModelConfig, rows: number, capacity: number): LayerCache {
  const shape: [number, number, number] = [rows * config.kvHeads, capacity, headSize(config)];
  return { keys: tf.zeros(shape), values: tf.zeros(shape) };
}

function growCache(config: ModelConfig, cache: LayerCache, rows: number): LayerCache {
  const grown = tf.tidy(() => {
    const block = tf.zeros([rows * config.kvHeads, BLOCK, headSize(config)]) as Tensor3D;
    return { keys: tf.concat([cache.keys, block], 1), values: tf.concat([cache.values, block], 1) };
  });
  disposeCache(cache);
  return grown;
}

function keepRows(config: ModelConfig, cache: LayerCache, kept: readonly number[]): LayerCache {
  const rows = kept.flatMap((row) => Array.from({ length: config.kvHeads }, (_, head) => row * config.kvHeads + head));
  const next = tf.tidy(() => {
    const index = tf.tensor1d(rows, 'int32');
    return { keys: tf.gather(cache.keys, index) as Tensor3D, values: tf.gather(cache.values, index) as Tensor3D };
  });
  disposeCache(cache);
  return next;
}

function disposeCache(cache: LayerCache): void {
  cache.keys.dispose();
  cache.values.dispose();
}

function disposeTables(tables: RotaryTables): void {
  tables.cos.dispose();
  tables.sin.dispose();
  tables.rotation.dispose();
}

function assertRows(rows: number): void {
  if (rows <= 0 || rows % ROW_MULTIPLE !== 0)
    throw new Error(`decoder rows must be a multiple of ${ROW_MULTIPLE}: ${rows}`);
}
