/** One token from a row of logits, with its log-probability under the very distribution that was sampled. */
import type { RandomStream } from '../rl/random-stream.ts';

export interface SampledToken {
  readonly token: number;
  /** 0 when greedy: the choice is certain. */
  readonly logProb: number;
}

/**
 * Softmax of logits[offset .. offset + count - 1] / temperature, in float64, then one draw. Temperature 0 takes the
 * largest logit (the first of equals).
 */
export function sampleToken(
  logits: Float32Array,
  offset: number,
  count: number,
  temperature: number,
  stream: RandomStream,
): SampledToken {
  let best = 0;
  for (let i = 1; i < count; i += 1) {
    if ((logits[offset + i] as number) > (logits[offset + best] as number)) best = i;
  }
  const top = logits[offset + best] as number;
  if (!Number.isFinite(top) || hasNaN(logits, offset, count)) {
    throw new RangeError(`logits of row ${offset / count} are not finite`);
  }
  if (temperature === 0) return { token: best, logProb: 0 };
  let total = 0;
  for (let i = 0; i < count; i += 1) total += Math.exp(((logits[offset + i] as number) - top) / temperature);
  let left = stream.uniform() * total;
  let token = best;
  for (let i = 0; i < count; i += 1) {
    left -= Math.exp(((logits[offset + i] as number) - top) / temperature);
    if (left < 0) {
      token = i;
      break;
    }
  }
  return { token, logProb: ((logits[offset + token] as number) - top) / temperature - Math.log(total) };
}

/** NaN is above nothing and below nothing: the search for the largest steps over it. */
function hasNaN(logits: Float32Array, offset: number, count: number): boolean {
  for (let i = offset; i < offset + count; i += 1) if (Number.isNaN(logits[i])) return true;
  return false;
}
