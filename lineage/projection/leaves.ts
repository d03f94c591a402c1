/**
 * The rows of a record as leaves of a Merkle tree: [table, position, digest of the row]. The root stands in the record's
 * event; two lists of leaves that differ say which row differs.
 */
import { canonicalText } from '../../contracts/canonical-text.ts';
import type { Digest } from '../../contracts/digest.ts';
import type { Trajectory } from '../../contracts/trajectory.ts';
import { nameOf } from '../canonical.ts';
import { merkleRoot } from '../merkle-root.ts';
import type { Projection } from './projection.ts';

export interface Leaf {
  readonly table: string;
  readonly ordinal: number;
  readonly digest: Digest;
}

/** A trajectory's leaf is its name, which is over everything it holds. */
export function leavesOf(recordDigest: Digest, rows: Projection): Leaf[] {
  const each = (table: string, list: readonly unknown[]): Leaf[] =>
    list.map((row, ordinal) => ({ table, ordinal, digest: nameOf(row) }));
  const one = (table: string, row: unknown): Leaf[] => (row === null ? [] : each(table, [row]));
  return [
    { table: 'record', ordinal: 0, digest: recordDigest },
    ...each('record_use', rows.uses),
    ...each('record_blob', rows.blobs),
    ...each('checkpoint', rows.checkpoints),
    ...one('episode_group', rows.group),
    ...each('task', rows.tasks),
    ...rows.trajectories.map(({ id }, ordinal) => ({ table: 'trajectory', ordinal, digest: id })),
    ...each('rewrite', rows.rewrites),
    ...one('calibration', rows.calibration),
    ...one('handoff', rows.handoff),
    ...each('evaluation_outcome', rows.outcomes),
  ];
}

export function rootOf(leaves: readonly Leaf[]): Digest {
  return merkleRoot(leaves.map(({ table, ordinal, digest }) => canonicalText([table, ordinal, digest]))).toString(
    'hex',
  );
}

/** What a trajectory should be called. */
export function trajectoryName({ id: _, ...body }: Trajectory): Digest {
  return nameOf(body);
}
