/** Gated MLP (Shazeer 2020): down(silu(x gate) * (x up)), silu(z) = z sigmoid(z); x [R, D]. */
import { matmul } from '../ops.ts';
import { tf, type Tensor, type Tensor2D } from '../tf.ts';

export interface SwigluPass {
  readonly output: Tensor2D;
  readonly backward: (dOutput: Tensor) => {
    readonly dx: Tensor2D;
    readonly dGate: Tensor2D;
    readonly dUp: Tensor2D;
    readonly dDown: Tensor2D;
  };
}

export function swiglu(x: Tensor2D, gate: Tensor, up: Tensor, down: Tensor): SwigluPass {
  const u = matmul(x, up);
  const { sigmoid, silu } = tf.tidy(() => {
    const z = matmul(x, gate);
    const sigmoid = tf.sigmoid(z);
    return { sigmoid, silu: tf.mul(z, sigmoid) as Tensor2D };
  });
  const hidden = tf.mul(silu, u);
  const backward = (dOutput: Tensor) =>
    tf.tidy(() => {
      const dHidden = matmul(dOutput, down, false, true);
      const dU = tf.mul(dHidden, silu);
      // d silu / dz = sigmoid + silu (1 - sigmoid)
      const slope = tf.add(sigmoid, tf.sub(silu, tf.mul(silu, sigmoid)));
      const dZ = tf.mul(tf.mul(dHidden, u), slope);
      return {
        dx: tf.add(matmul(dZ, gate, false, true), matmul(dU, up, false, true)) as Tensor2D,
        dGate: matmul(x, dZ, true, false),
        dUp: matmul(x, dU, true, false),
        dDown: matmul(hidden, dOutput, true, false),
      };
    });
  return { output: matmul(hidden, down), backward };
}
