/**
 * The few tensor operations that exist in two forms: a raw TensorFlow call on the native backend where it is faster,
 * the portable one elsewhere. No gradients here: layers write their own backward pass.
 */
import { tf, type Tensor, type Tensor2D, type Tensor3D } from './tf.ts';
import { isNative, rawOp } from './backend.ts';

/**
 * [M, K] x [K, N] -> [M, N], each side optionally transposed. The library's own form makes batches of one, whose kernel
 * takes 1.5 times as long on training shapes and 3 times on those of decoding (docs/adr/0002 on its one danger).
 */
export function matmul(a: Tensor, b: Tensor, transposeA = false, transposeB = false): Tensor2D {
  if (!isNative()) return portableMatmul(a as Tensor2D, b as Tensor2D, transposeA, transposeB);
  return rawOp('MatMul', { transpose_a: transposeA, transpose_b: transposeB, T: 'float32' }, [a, b], 1)[0] as Tensor2D;
}

/** [G, M, K] x [G, K, N] -> [G, M, N], each side optionally transposed. */
export function batchMatmul(a: Tensor, b: Tensor, transposeA = false, transposeB = false): Tensor3D {
  if (!isNative()) return portableMatmul(a as Tensor3D, b as Tensor3D, transposeA, transposeB);
  return tf.matMul(a as Tensor3D, b as Tensor3D, transposeA, transposeB);
}

/** The WASM kernel has a fast path for untransposed operands only (ten times faster), so they are turned first. */
function portableMatmul<T extends Tensor2D | Tensor3D>(a: T, b: T, transposeA: boolean, transposeB: boolean): T {
  return tf.matMul(transposeA ? turned(a) : a, transposeB ? turned(b) : b);
}

function turned<T extends Tensor2D | Tensor3D>(x: T): T {
  return tf.transpose(x, x.rank === 2 ? [1, 0] : [0, 2, 1]);
}

/**
 * Gradient of a gather: `values` [R, D] summed into `size` rows. Row r goes to each of indices[r * copies ..
 * r * copies + copies - 1]. The portable form adds on the host, in order: the WASM backend has no such kernel.
 */
export function sumRowsByIndex(values: Tensor, indices: Int32Array, size: number, copies = 1): Tensor2D {
  const rows = values.shape[0] ?? 0;
  const width = values.shape[1] ?? 1;
  if (isNative()) {
    return tf.tidy(() => {
      const repeated =
        copies === 1
          ? values
          : tf.reshape(tf.tile(tf.reshape(values, [rows, 1, width]), [1, copies, 1]), [rows * copies, width]);
      return tf.unsortedSegmentSum(repeated as Tensor2D, tf.tensor1d(indices, 'int32'), size) as Tensor2D;
    });
  }
  const source = values.dataSync();
  const sums = new Float32Array(size * width);
  for (let i = 0; i < indices.length; i += 1) {
    const from = Math.floor(i / copies) * width;
    const to = (indices[i] ?? 0) * width;
    for (let column = 0; column < width; column += 1) {
      sums[to + column] = (sums[to + column] ?? 0) + (source[from + column] ?? 0);
    }
  }
  return tf.tensor2d(sums, [size, width]);
}
