/**
 * Batched decoding with a key-value cache: all rows advance one position per step (a sampled or a forced token), so
 * every row stands at the same position and no padding logic is needed. The cache grows in blocks of fixed size, so
 * the shapes met are few; unwritten slots are zero and masked away. With a number of rows from soundRows(), a row's
 * numbers depend on nothing but its own contents.
 */
import { openStepKernels } from './decode-kernels.ts';
import { runStep, type LayerCache } from './decode-step.ts';
import { rotaryTables } from './layers/rotary.ts';
import { headSize, type ModelConfig } from './model-config.ts';
import { weight, type Parameters } from './parameters.ts';
import { paddingMask } from './policy-head.ts';
import { ROW_MULTIPLE } from './row-sizes.ts';
import { tf, type Tensor2D, type Tensor3D } from './tf.ts';

/** Positions a cache block holds. */
const BLOCK = 32;

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
  const kernels = openStepKernels(config.normEps);
  let caches: readonly LayerCache[] = Array.from({ length: config.layers }, () => emptyCache(config, rows, BLOCK));
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
        caches = caches.map((cache) => growCache(config, cache, width));
      }
      const [logits, next] = tf.tidy(() =>
        runStep(
          { parameters, config, kernels, head, mask },
          { tokens, recent, position, capacity, tables: rotaryTables(config, position, 1), caches },
        ),
      );
      for (const [layer, cache] of caches.entries()) {
        if (cache.keys !== next[layer]?.keys) cache.keys.dispose();
        if (cache.values !== next[layer]?.values) cache.values.dispose();
      }
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
      kernels.dispose();
      head.dispose();
      mask.dispose();
    },
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

function assertRows(rows: number): void {
  if (rows <= 0 || rows % ROW_MULTIPLE !== 0)
    throw new Error(`decoder rows must be a multiple of ${ROW_MULTIPLE}: ${rows}`);
}
