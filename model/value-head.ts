/** The critic's output: one scalar per state, V = hidden w + bias, with a backward pass driven from outside. */
import { matmul } from './ops.ts';
import { weight, type Parameters } from './parameters.ts';
import { tf, type Tensor, type Tensor2D } from './tf.ts';

export interface ValueHeadPass {
  /** V per row, [N]. */
  readonly values: Float32Array;
  /** d loss / d values -> gradients of hidden and of the head. */
  readonly backward: (dValues: ArrayLike<number>) => {
    readonly dHidden: Tensor2D;
    readonly dHead: Tensor2D;
    readonly dBias: Tensor;
  };
}

export function valueHead(parameters: Parameters, hidden: Tensor2D): ValueHeadPass {
  const head = weight(parameters, 'valueHead');
  const values = tf.add(matmul(hidden, head), weight(parameters, 'valueBias'));
  return {
    values: values.dataSync() as Float32Array,
    backward: (dValues) => {
      const dColumn = tf.tensor2d(Float32Array.from(dValues), [dValues.length, 1]);
      return {
        dHidden: matmul(dColumn, head, false, true),
        dHead: matmul(hidden, dColumn, true, false),
        dBias: tf.sum(dColumn, 0),
      };
    },
  };
}
