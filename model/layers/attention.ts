/**
 * Causal grouped-query attention of whole sequences (training; decode.ts has the one-step form). The query heads of a
 * group are laid along the time axis, so keys and values are never repeated: [B*kvHeads, group*T, headSize].
 */
import { batchMatmul, matmul } from '../ops.ts';
import { headSize, type ModelConfig } from '../model-config.ts';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D } from '../tf.ts';
import { applyRotary, rotaryBackward, type RotaryTables } from './rotary.ts';

export interface AttentionPass {
  /** [B*T, heads*headSize]. */
  readonly output: Tensor2D;
  readonly backward: (dOutput: Tensor) => { readonly dx: Tensor2D; readonly dQkv: Tensor2D };
}

/** Additive mask [1, group*T, T]: 0 where a query may look, a large negative number elsewhere. */
export function causalMask(config: ModelConfig, length: number): Tensor3D {
  const group = config.heads / config.kvHeads;
  const mask = new Float32Array(group * length * length);
  for (let g = 0; g < group; g += 1) {
    for (let query = 0; query < length; query += 1) {
      mask.fill(-1e9, (g * length + query) * length + query + 1, (g * length + query + 1) * length);
    }
  }
  return tf.tensor3d(mask, [1, group * length, length]);
}

/** x [B*T, D] -> attention over each of the B sequences, before the output projection. */
export function attention(
  x: Tensor2D,
  qkvWeight: Tensor,
  config: ModelConfig,
  shape: { readonly batch: number; readonly length: number },
  tables: RotaryTables,
  mask: Tensor3D,
): AttentionPass {
  const { batch, length } = shape;
  const { heads, kvHeads } = config;
  const size = headSize(config);
  const turned = heads + kvHeads;
  const all = heads + 2 * kvHeads;
  const grouped = [batch * kvHeads, (heads / kvHeads) * length, size] as [number, number, number];
  const single = [batch * kvHeads, length, size] as [number, number, number];
  const { query, key, value } = tf.tidy(() => {
    const qkv = tf.transpose(tf.reshape(matmul(x, qkvWeight), [batch, length, all, size]), [0, 2, 1, 3]);
    const rotated = applyRotary(tf.slice(qkv, [0, 0, 0, 0], [-1, turned, -1, -1]) as Tensor4D, tables);
    return {
      query: tf.reshape(tf.slice(rotated, [0, 0, 0, 0], [-1, heads, -1, -1]), grouped),
      key: tf.reshape(tf.slice(rotated, [0, heads, 0, 0], [-1, kvHeads, -1, -1]), single),
      value: tf.reshape(tf.slice(qkv, [0, turned, 0, 0], [-1, kvHeads, -1, -1]), single),
    };
  });
  // Tensors of [.., T, T] are the largest of all: each goes as soon as it has been read.
  const weights = tf.tidy(() => tf.softmax(tf.add(batchMatmul(query, key, false, true), mask)));
  const output = tf.tidy(() => {
    const mixed = tf.reshape(batchMatmul(weights, value), [batch, heads, length, size]);
    return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch * length, heads * size]) as Tensor2D;
  });
  const backward = (dOutput: Tensor) =>
    tf.tidy(() => {
      const dMixed = tf.reshape(tf.transpose(tf.reshape(dOutput, [batch, length, heads, size]), [0, 2, 1, 3]), grouped);
      const dValue = batchMatmul(weights, dMixed, true, false);
      const dScores = tf.tidy(() => {
        const dWeights = batchMatmul(dMixed, value, false, true);
        const along = tf.tidy(() => tf.sum(tf.mul(dWeights, weights), 2, true));
        return tf.mul(weights, tf.sub(dWeights, along)) as Tensor3D;
      });
      const dQuery = tf.reshape(batchMatmul(dScores, key), [batch, heads, length, size]);
      const dKey = tf.reshape(batchMatmul(dScores, query, true, false), [batch, kvHeads, length, size]);
      const dRotated = rotaryBackward(tf.concat([dQuery, dKey], 1) as Tensor4D, tables);
      const dAll = tf.concat([dRotated, tf.reshape(dValue, [batch, kvHeads, length, size])], 1);
      const dProjected = tf.reshape(tf.transpose(dAll, [0, 2, 1, 3]), [batch * length, all * size]) as Tensor2D;
      return { dx: matmul(dProjected, qkvWeight, false, true), dQkv: matmul(x, dProjected, true, false) };
    });
  return { output, backward };
}
