/**
 * Rotary positions (Su et al. 2021), half-rotation layout as in Llama: y = x cos + rotate(x) sin. Queries and keys are
 * turned together; the table of the query heads also carries the attention scale 1/sqrt(head size), which costs
 * nothing there. `rotate` is a signed permutation, done as a small matrix product: one call instead of four.
 */
import { matmul } from '../ops.ts';
import { headSize, type ModelConfig } from '../model-config.ts';
import { tf, type Tensor, type Tensor4D } from '../tf.ts';

/** Tables [1, heads + kvHeads, T, headSize] for positions `start` .. `start + T - 1`. */
export interface RotaryTables {
  readonly cos: Tensor;
  readonly sin: Tensor;
  /** [headSize, headSize], x @ rotation = rotate(x). */
  readonly rotation: Tensor;
}

export function rotaryTables(config: ModelConfig, start: number, length: number): RotaryTables {
  const size = headSize(config);
  const half = size / 2;
  const turned = config.heads + config.kvHeads;
  const cos = new Float32Array(turned * length * size);
  const sin = new Float32Array(turned * length * size);
  const scale = 1 / Math.sqrt(size);
  for (let head = 0; head < turned; head += 1) {
    const factor = head < config.heads ? scale : 1;
    for (let t = 0; t < length; t += 1) {
      for (let i = 0; i < size; i += 1) {
        const angle = (start + t) / config.ropeBase ** ((i % half) / half);
        const at = (head * length + t) * size + i;
        cos[at] = Math.cos(angle) * factor;
        sin[at] = Math.sin(angle) * factor;
      }
    }
  }
  const rotation = new Float32Array(size * size);
  for (let i = 0; i < half; i += 1) {
    rotation[(i + half) * size + i] = -1;
    rotation[i * size + i + half] = 1;
  }
  return {
    cos: tf.tensor(cos, [1, turned, length, size]),
    sin: tf.tensor(sin, [1, turned, length, size]),
    rotation: tf.tensor2d(rotation, [size, size]),
  };
}

/** x [B, heads + kvHeads, T, headSize] turned by its positions. */
export function applyRotary(x: Tensor4D, tables: RotaryTables): Tensor4D {
  return tf.add(tf.mul(x, tables.cos), tf.mul(rotate(x, tables.rotation, false), tables.sin));
}

/** Gradient of applyRotary with respect to x. */
export function rotaryBackward(dy: Tensor4D, tables: RotaryTables): Tensor4D {
  return tf.add(tf.mul(dy, tables.cos), rotate(tf.mul(dy, tables.sin), tables.rotation, true));
}

function rotate(x: Tensor4D, rotation: Tensor, transpose: boolean): Tensor4D {
  const size = rotation.shape[0] ?? 0;
  const flat = tf.reshape(x, [-1, size]);
  return tf.reshape(matmul(flat, rotation, false, transpose), x.shape);
}
