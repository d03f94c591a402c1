/** Forward passes without gradients over stored trajectories: log-probabilities, entropies, values per action token. */
import { policyHead } from './policy-head.ts';
import type { ModelConfig } from './model-config.ts';
import type { Parameters } from './parameters.ts';
import { packBatch, type PackedBatch, type Sequence } from './sequence-batch.ts';
import { tf } from './tf.ts';
import { runTrunk } from './transformer.ts';
import { valueHead } from './value-head.ts';

/** Sequences scored at once, of long ones fewer; they are taken in order of length, so little is padded. */
const SCORE_BATCH = 64;
/** Positions scored at once: bounds the memory of a pass. */
const SCORE_POSITIONS = 6144;

export interface PolicyScores {
  /** log pi of the sequence's action tokens. */
  readonly logProbs: Float64Array;
  /** Entropy in nats at the same places. */
  readonly entropies: Float64Array;
}

/** One entry per sequence, in the given order; `temperature` is that of sampling. */
export function scorePolicy(
  parameters: Parameters,
  config: ModelConfig,
  sequences: readonly Sequence[],
  temperature: number,
  tokenCount: number,
): PolicyScores[] {
  return inBatches(sequences, (batch) => {
    const { logProbs, entropies } = scoped(() => {
      const { hidden } = runTrunk(parameters, config, batch);
      return policyHead(parameters, hidden, batch.targets, temperature, tokenCount);
    });
    return split(batch, (from, to) => ({
      logProbs: Float64Array.from(logProbs.subarray(from, to)),
      entropies: Float64Array.from(entropies.subarray(from, to)),
    }));
  });
}

/** V of the state before each action token, one array per sequence. */
export function scoreValues(
  parameters: Parameters,
  config: ModelConfig,
  sequences: readonly Sequence[],
): Float64Array[] {
  return inBatches(sequences, (batch) => {
    const { values } = scoped(() => valueHead(parameters, runTrunk(parameters, config, batch).hidden));
    return split(batch, (from, to) => Float64Array.from(values.subarray(from, to)));
  });
}

/** Runs `work` with all its tensors disposed after; it hands out plain numbers only. */
function scoped<T>(work: () => T): T {
  let result: T | undefined;
  tf.tidy(() => {
    result = work();
  });
  return result as T;
}

function inBatches<T>(sequences: readonly Sequence[], score: (batch: PackedBatch) => T[]): T[] {
  const order = sequences.map((_, i) => i);
  order.sort((a, b) => (sequences[a]?.tokenIds.length ?? 0) - (sequences[b]?.tokenIds.length ?? 0) || a - b);
  const results = new Array<T>(sequences.length);
  for (let start = 0; start < order.length;) {
    // The longest of the next ones is the last of them.
    const next = order.slice(start, start + SCORE_BATCH);
    const longest = Math.max(1, sequences[next.at(-1) as number]?.tokenIds.length ?? 1);
    const members = next.slice(0, Math.max(1, Math.floor(SCORE_POSITIONS / longest)));
    start += members.length;
    const scores = score(packBatch(members.map((i) => sequences[i] as Sequence)));
    for (const [k, i] of members.entries()) results[i] = scores[k] as T;
  }
  return results;
}

function split<T>(batch: PackedBatch, take: (from: number, to: number) => T): T[] {
  return batch.offsets.slice(0, -1).map((from, i) => take(from, batch.offsets[i + 1] ?? from));
}
