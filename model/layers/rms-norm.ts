/** RMSNorm (Zhang & Sennrich 2019): y = x / sqrt(mean(x^2) + eps) * gain, over the last axis of [R, D]. */
import { tf, type Tensor, type Tensor2D } from '../tf.ts';

export interface RmsNormPass {
  readonly output: Tensor2D;
  /** Gradient of the output [R, D] -> gradients of x [R, D] and of the gain [D]. */
  readonly backward: (dOutput: Tensor) => { readonly dx: Tensor2D; readonly dGain: Tensor };
}

export function rmsNorm(x: Tensor2D, gain: Tensor, eps: number): RmsNormPass {
  const inverse = tf.tidy(() => tf.rsqrt(tf.add(tf.mean(tf.square(x), 1, true), eps)));
  const normal = tf.mul(x, inverse);
  const backward = (dOutput: Tensor) =>
    tf.tidy(() => {
      const dNormal = tf.mul(dOutput, gain);
      const along = tf.mean(tf.mul(dNormal, normal), 1, true);
      return {
        dx: tf.mul(tf.sub(dNormal, tf.mul(normal, along)), inverse) as Tensor2D,
        dGain: tf.sum(tf.mul(dOutput, normal), 0),
      };
    });
  return { output: tf.mul(normal, gain), backward };
}
