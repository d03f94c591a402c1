/**
 * Trajectories as one padded batch: right padding to a common length (a multiple of 8, so that few shapes occur), and
 * for every action token the row that predicts it. Positions that no loss reads are never selected.
 */
import type { SequenceBatch } from './transformer.ts';

/** What a trajectory must have to be scored or trained on; arrays of one length. */
export interface Sequence {
  readonly tokenIds: readonly number[];
  readonly actionMask: readonly number[];
}

export interface PackedBatch extends SequenceBatch {
  /** The action tokens, in order; targets[i] is predicted at rows[i]. */
  readonly targets: Int32Array;
  /** Sequence s owns rows offsets[s] .. offsets[s + 1] - 1. */
  readonly offsets: readonly number[];
}

const LENGTH_MULTIPLE = 8;

export function packBatch(sequences: readonly Sequence[]): PackedBatch {
  const longest = Math.max(1, ...sequences.map((sequence) => sequence.tokenIds.length));
  const length = Math.ceil(longest / LENGTH_MULTIPLE) * LENGTH_MULTIPLE;
  const ids = new Int32Array(sequences.length * length);
  const rows: number[] = [];
  const targets: number[] = [];
  const offsets = [0];
  for (const [index, sequence] of sequences.entries()) {
    ids.set(sequence.tokenIds, index * length);
    for (const [t, mask] of sequence.actionMask.entries()) {
      if (mask !== 1) continue;
      if (t === 0) throw new RangeError('an action token at position 0 has no state before it');
      rows.push(index * length + t - 1);
      targets.push(sequence.tokenIds[t] ?? 0);
    }
    offsets.push(rows.length);
  }
  return {
    batch: sequences.length,
    length,
    ids,
    rows: Int32Array.from(rows),
    targets: Int32Array.from(targets),
    offsets,
  };
}
