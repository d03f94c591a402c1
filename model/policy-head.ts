/**
 * The policy's output: log-probability of given next tokens and the entropy, at a temperature, with a backward pass
 * driven from outside. The caller reads both as plain numbers, computes its loss and the derivatives in float64
 * (rl/), and hands the derivatives back: so every formula of the loop stands once, as a pure function.
 */
import { matmul } from './ops.ts';
import { weight, type Parameters } from './parameters.ts';
import { tf, type Tensor, type Tensor2D } from './tf.ts';

export interface PolicyHeadPass {
  /** log pi(target | state) per row, [N]. */
  readonly logProbs: Float32Array;
  /** Entropy of the distribution per row in nats, [N]. */
  readonly entropies: Float32Array;
  /** d loss / d logProbs and d loss / d entropies -> gradients of hidden and of the tied embedding. */
  readonly backward: (
    dLogProbs: ArrayLike<number>,
    dEntropies: ArrayLike<number> | null,
  ) => { readonly dHidden: Tensor2D; readonly dEmbed: Tensor2D };
}

/** hidden [N, D]; targets [N]. Rows at or beyond `tokenCount` of the padded vocabulary are never sampled or scored. */
export function policyHead(
  parameters: Parameters,
  hidden: Tensor2D,
  targets: Int32Array,
  temperature: number,
  tokenCount: number,
): PolicyHeadPass {
  const embed = weight(parameters, 'embed');
  const vocabSize = embed.shape[0] ?? 0;
  const logDistribution = tf.tidy(() => {
    const scaled = tf.mul(matmul(hidden, embed, false, true), 1 / temperature);
    return tf.logSoftmax(tf.add(scaled, paddingMask(vocabSize, tokenCount)));
  });
  const distribution = tf.exp(logDistribution);
  const chosen = tf.tidy(() => tf.oneHot(tf.tensor1d(targets, 'int32'), vocabSize).toFloat());
  // Padding rows carry -1e9 * 0 = -0: harmless, as the product is taken with an exact zero probability.
  const entropy = tf.tidy(() => tf.neg(tf.sum(tf.mul(distribution, logDistribution), 1, true)));
  const logProbs = tf.tidy(() => tf.sum(tf.mul(chosen, logDistribution), 1));
  const backward: PolicyHeadPass['backward'] = (dLogProbs, dEntropies) =>
    tf.tidy(() => {
      let dLogits: Tensor = tf.mul(tf.sub(chosen, distribution), column(dLogProbs));
      if (dEntropies !== null) {
        // dH/dz_j = -p_j (log p_j + H)
        const slope = tf.mul(distribution, tf.add(logDistribution, entropy));
        dLogits = tf.sub(dLogits, tf.mul(slope, column(dEntropies)));
      }
      const scaled = tf.mul(dLogits, 1 / temperature);
      return { dHidden: matmul(scaled, embed), dEmbed: matmul(scaled, hidden, true, false) };
    });
  return {
    logProbs: logProbs.dataSync() as Float32Array,
    entropies: entropy.dataSync() as Float32Array,
    backward,
  };
}

/** Additive mask [1, V]: -1e9 on the rows that only pad the table. */
export function paddingMask(vocabSize: number, tokenCount: number): Tensor2D {
  return tf.tensor2d(new Float32Array(vocabSize).fill(-1e9, tokenCount), [1, vocabSize]);
}

function column(values: ArrayLike<number>): Tensor2D {
  return tf.tensor2d(Float32Array.from(values), [values.length, 1]);
}
