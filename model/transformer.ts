/**
 * The decoder over whole, right-padded sequences with its hand-written backward pass: forward for scoring, forward and
 * backward for training. Only the rows that a loss reads reach the head (masked positions are selected away, never
 * multiplied). Callers wrap everything in tf.tidy.
 */
import { attention, causalMask } from './layers/attention.ts';
import { embedding, lagIdsOf } from './layers/embedding.ts';
import { rmsNorm } from './layers/rms-norm.ts';
import { rotaryTables } from './layers/rotary.ts';
import { swiglu } from './layers/swiglu.ts';
import type { ModelConfig } from './model-config.ts';
import { matmul, sumRowsByIndex } from './ops.ts';
import { weight, type Parameters } from './parameters.ts';
import { tf, type Tensor, type Tensor2D, type Tensor3D } from './tf.ts';

/** B sequences padded to `length` on the right; `rows` are the positions b * length + t whose hidden state is read. */
export interface SequenceBatch {
  readonly batch: number;
  readonly length: number;
  readonly ids: Int32Array;
  readonly rows: Int32Array;
}

export interface TrunkPass {
  /** Hidden states after the final norm at `rows`: [N, D]. */
  readonly hidden: Tensor2D;
  /** Gradient of `hidden` -> gradients of all trunk weights. */
  readonly backward: (dHidden: Tensor) => Record<string, Tensor>;
}

/** The trunk: embeddings, blocks, final norm at the selected rows. */
export function runTrunk(parameters: Parameters, config: ModelConfig, input: SequenceBatch): TrunkPass {
  const { batch, length } = input;
  const tables = rotaryTables(config, 0, length);
  const mask = causalMask(config, length);
  const embedded = embedding(parameters, config, input.ids, lagIdsOf(input.ids, length, config.lags));
  let x = embedded.output;
  const blocks: BlockPass[] = [];
  for (let layer = 0; layer < config.layers; layer += 1) {
    const block = runBlock(parameters, config, `layer${layer}.`, x, { batch, length }, tables, mask);
    blocks.push(block);
    x = block.output;
  }
  const selected = tf.gather(x, tf.tensor1d(input.rows, 'int32')) as Tensor2D;
  const final = rmsNorm(selected, weight(parameters, 'finalNorm'), config.normEps);
  return {
    hidden: final.output,
    backward: (dHidden) => {
      const gradients: Record<string, Tensor> = {};
      const atSelected = final.backward(dHidden);
      gradients['finalNorm'] = atSelected.dGain;
      let dx = sumRowsByIndex(atSelected.dx, input.rows, batch * length);
      for (const block of blocks.toReversed()) dx = block.backward(dx, gradients);
      embedded.backward(dx, gradients);
      return gradients;
    },
  };
}

interface BlockPass {
  readonly output: Tensor2D;
  readonly backward: (dOutput: Tensor2D, gradients: Record<string, Tensor>) => Tensor2D;
}

/** x + attention(norm(x)), then + mlp(norm(.)). */
function runBlock(
  parameters: Parameters,
  config: ModelConfig,
  prefix: string,
  x: Tensor2D,
  shape: { readonly batch: number; readonly length: number },
  tables: ReturnType<typeof rotaryTables>,
  mask: Tensor3D,
): BlockPass {
  const of = (name: string): Tensor => weight(parameters, prefix + name);
  const attentionNorm = rmsNorm(x, of('attentionNorm'), config.normEps);
  const attended = attention(attentionNorm.output, of('qkv'), config, shape, tables, mask);
  const middle = tf.add(x, matmul(attended.output, of('output'))) as Tensor2D;
  const mlpNorm = rmsNorm(middle, of('mlpNorm'), config.normEps);
  const mlp = swiglu(mlpNorm.output, of('gate'), of('up'), of('down'));
  return {
    output: tf.add(middle, mlp.output) as Tensor2D,
    backward: (dOutput, gradients) => {
      const fromMlp = mlp.backward(dOutput);
      gradients[`${prefix}gate`] = fromMlp.dGate;
      gradients[`${prefix}up`] = fromMlp.dUp;
      gradients[`${prefix}down`] = fromMlp.dDown;
      const atMlpNorm = mlpNorm.backward(fromMlp.dx);
      gradients[`${prefix}mlpNorm`] = atMlpNorm.dGain;
      const dMiddle = tf.add(dOutput, atMlpNorm.dx) as Tensor2D;
      gradients[`${prefix}output`] = matmul(attended.output, dMiddle, true, false);
      const fromAttention = attended.backward(matmul(dMiddle, of('output'), false, true));
      gradients[`${prefix}qkv`] = fromAttention.dQkv;
      const atAttentionNorm = attentionNorm.backward(fromAttention.dx);
      gradients[`${prefix}attentionNorm`] = atAttentionNorm.dGain;
      return tf.add(dMiddle, atAttentionNorm.dx) as Tensor2D;
    },
  };
}
