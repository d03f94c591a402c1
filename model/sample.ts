/** One token from a row of logits, with its log-probability under the very distribution that was sampled. */
import type { RandomStream } from '../rl/random-stream.ts';

export interface SampledToken {
  readonly token: number;
  /** 0 when greedy: the choice is certain. */
  readonly logProb: number;
}

/** Shares of the row under way: exp is most of the work, so it is taken once. */
let scratch = new Float64Array(0);

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
  let top = logits[offset] as number;
  for (let i = 1; i < count; i += 1) {
    const logit = logits[offset + i] as number;
    // NaN is above nothing and below nothing: a search for the largest alone would step over it.
    if (Number.isNaN(logit)) top = NaN;
    else if (logit > top) {
      best = i;
      top = logit;
    }
  }
  if (!Number.isFinite(top)) throw new RangeError(`logits of row ${offset / count} are not finite`);
  if (temperature === 0) return { token: best, logProb: 0 };
  if (scratch.length < count) scratch = new Float64Array(count);
  let total = 0;
  for (let i = 0; i < count; i += 1) {
    const share = Math.exp(((logits[offset + i] as number) - top) / temperature);
    scratch[i] = share;
    total += share;
  }
  let left = stream.uniform() * total;
  let token = best;
  for (let i = 0; i < count; i += 1) {
    left -= scratch[i] as number;
    if (left < 0) {
      token = i;
      break;
    }
  }
  return { token, logProb: ((logits[offset + token] as number) - top) / temperature - Math.log(total) };
}
