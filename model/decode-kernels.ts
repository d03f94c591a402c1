/**
 * The operations of a decoding step that exist in two forms (model/decode-step.ts). The step is made of many small
 * kernels, of which the calls cost more than the arithmetic: on the native backend one call takes the place of several,
 * constants are made once per decoder, and the cache is written in place. Both forms give the same numbers.
 */
import { isNative } from './backend.ts';
import { rmsNorm } from './layers/rms-norm.ts';
import { rawOp, type RawAttrs } from './raw-op.ts';
import { tf, type Tensor, type Tensor2D, type Tensor3D } from './tf.ts';

export interface StepKernels {
  /** layers/rms-norm.ts, forward only: x [R, D]. */
  readonly norm: (x: Tensor2D, gain: Tensor) => Tensor2D;
  /** The same numbers under another shape. */
  readonly shape: (x: Tensor, shape: readonly number[]) => Tensor;
  /** [R, a + b] -> [R, a] and [R, b]. */
  readonly cut: (x: Tensor2D, at: number) => readonly [Tensor2D, Tensor2D];
  /** The cache [G, capacity, size] with `rows` [G, size] at a position that held zeros: the same tensor or a new one. */
  readonly writer: (
    groups: number,
    capacity: number,
    position: number,
  ) => (cache: Tensor3D, rows: Tensor2D) => Tensor3D;
  readonly dispose: () => void;
}

export function openStepKernels(normEps: number): StepKernels {
  return isNative() ? nativeKernels(normEps) : portableKernels(normEps);
}

const MEAN: RawAttrs = { T: 'float32', Tidx: 'int32', keep_dims: true };
const RESHAPE: RawAttrs = { T: 'float32', Tshape: 'int32' };
const CUT: RawAttrs = { T: 'float32', Tlen: 'int32', num_split: { int: 2 } };
const UPDATE: RawAttrs = { T: 'float32' };

function nativeKernels(normEps: number): StepKernels {
  const eps = tf.scalar(normEps);
  const lastAxis = tf.tensor1d([1], 'int32');
  const axis = tf.scalar(1, 'int32');
  const lists = new Map<string, Tensor>();
  const listOf = (numbers: readonly number[]): Tensor => {
    const key = numbers.join();
    const made = lists.get(key) ?? tf.keep(tf.tensor1d([...numbers], 'int32'));
    lists.set(key, made);
    return made;
  };
  const shape: StepKernels['shape'] = (x, dimensions) =>
    rawOp('Reshape', RESHAPE, [x, listOf(dimensions)], 1)[0] as Tensor;
  return {
    norm: (x, gain) => {
      const [mean] = rawOp('Mean', MEAN, [tf.square(x), lastAxis], 1);
      return tf.mul(tf.mul(x, tf.rsqrt(tf.add(mean as Tensor, eps))), gain);
    },
    shape,
    cut: (x, at) => {
      const [left, right] = rawOp('SplitV', CUT, [x, listOf([at, x.shape[1] - at]), axis], 2);
      return [left as Tensor2D, right as Tensor2D];
    },
    writer: (groups, capacity, position) => {
      const slots = tf.tensor1d(Int32Array.from({ length: groups }, (_, group) => group * capacity + position), 'int32'); // prettier-ignore
      return (cache, rows) => {
        // The kernel writes into the memory of its input, of which the view has its share.
        rawOp('InplaceUpdate', UPDATE, [shape(cache, [groups * capacity, rows.shape[1]]), slots, rows], 1);
        return cache;
      };
    },
    dispose: () => tf.dispose([eps, lastAxis, axis, ...lists.values()]),
  };
}

function portableKernels(normEps: number): StepKernels {
  return {
    norm: (x, gain) => rmsNorm(x, gain, normEps).output,
    shape: (x, dimensions) => tf.reshape(x, [...dimensions]),
    cut: (x, at) => [tf.slice(x, [0, 0], [-1, at]), tf.slice(x, [0, at], [-1, -1])],
    writer: (groups, capacity, position) => {
      const here = new Float32Array(capacity);
      here[position] = 1;
      const slot = tf.tensor3d(here, [1, capacity, 1]);
      return (cache, rows) => tf.add(cache, tf.mul(tf.reshape(rows, [groups, 1, -1]), slot));
    },
    dispose: () => undefined,
  };
}
