/**
 * Token embedding, optionally with the embeddings of the last few tokens added: h_t = E[x_t] + sum_q L_q[x_(t-q)].
 * The lag tables make copying (the core of small terminal tasks) a single attention hop; real checkpoints have none.
 */
import { sumRowsByIndex } from '../ops.ts';
import type { ModelConfig } from '../model-config.ts';
import { weight, type Parameters } from '../parameters.ts';
import { tf, type Tensor, type Tensor2D } from '../tf.ts';

export interface EmbeddingPass {
  readonly output: Tensor2D;
  /** Adds the gradients of the tables to `gradients`. */
  readonly backward: (dOutput: Tensor, gradients: Record<string, Tensor>) => void;
}

/** `ids`: [B*T] token ids; `lagIds`: [B*T*lags] ids of the tokens 1..lags places before (0 = padding before the start). */
export function embedding(
  parameters: Parameters,
  config: ModelConfig,
  ids: Int32Array,
  lagIds: Int32Array,
): EmbeddingPass {
  const rows = ids.length;
  const { vocabSize, lags, dModel } = config;
  const tokens = tf.gather(weight(parameters, 'embed'), tf.tensor1d(ids, 'int32')) as Tensor2D;
  if (lags === 0) {
    return {
      output: tokens,
      backward: (dOutput, gradients) => {
        gradients['embed'] = sumRowsByIndex(dOutput, ids, vocabSize);
      },
    };
  }
  const table = Int32Array.from(lagIds, (id, i) => (i % lags) * vocabSize + id);
  const lagged = tf.gather(weight(parameters, 'lag'), tf.tensor1d(table, 'int32'));
  return {
    output: tf.add(tokens, tf.sum(tf.reshape(lagged, [rows, lags, dModel]), 1)),
    backward: (dOutput, gradients) => {
      gradients['embed'] = sumRowsByIndex(dOutput, ids, vocabSize);
      gradients['lag'] = sumRowsByIndex(dOutput, table, lags * vocabSize, lags);
    },
  };
}

/** Lag ids of right-padded sequences: row (b, t), lag q -> ids[b][t - q], or 0 before the start. */
export function lagIdsOf(ids: Int32Array, length: number, lags: number): Int32Array {
  const out = new Int32Array(ids.length * lags);
  for (let row = 0; row < ids.length; row += 1) {
    const t = row % length;
    for (let q = 1; q <= Math.min(lags, t); q += 1) out[row * lags + q - 1] = ids[row - q] ?? 0;
  }
  return out;
}
