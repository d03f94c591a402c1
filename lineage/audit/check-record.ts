/**
 * One record against its event, its files and its rows: the digest of its text, every file's digest, the Merkle root over
 * the rows that record and files give, the rows that are in the tables, what it uses, and the splits. What is wrong first
 * is said in words.
 */
import type { Digest } from '../../contracts/digest.ts';
import { Failure } from '../../contracts/failures.ts';
import { placeName, type StoredRecord } from '../../contracts/run-store.ts';
import type { BlobFolder } from '../blobs/blob-folder.ts';
import { nameOf, nameOfText } from '../canonical.ts';
import type { Queryable } from '../postgres/connection.ts';
import { learns } from '../projection/learns.ts';
import { leavesOf, rootOf, trajectoryName, type Leaf } from '../projection/leaves.ts';
import { project } from '../projection/project.ts';
import type { Projection } from '../projection/projection.ts';
import type { ChainEvent } from './chain.ts';
import { loadProjection } from './load-projection.ts';

/** What the records before this one brought. */
export interface Seen {
  readonly checkpoints: Set<Digest>;
  /** Whether the group may be learned from. */
  readonly groups: Map<Digest, boolean>;
  readonly splits: Map<Digest, string>;
  readonly tasks: Set<Digest>;
  /** Files whose bytes were hashed already. */
  readonly files: Set<Digest>;
  readonly records: StoredRecord[];
}

export interface BadRow {
  readonly what: string;
  readonly where: string;
}

interface RecordRow {
  readonly body: string;
  readonly digest: string;
  readonly content: string;
  readonly kind: string;
  readonly place: string;
}

export async function checkRecord(
  db: Queryable,
  blobs: BlobFolder,
  event: ChainEvent,
  seen: Seen,
): Promise<BadRow | null> {
  const { rows } = await db.query<RecordRow>(
    `select body, encode(digest, 'hex') as digest, encode(content_digest, 'hex') as content, kind,
       rsi.place_name(r) as place from rsi.record r where id = $1`,
    [event.recordId],
  );
  const row = rows[0] as RecordRow;
  const bad = (what: string): BadRow => ({ what, where: `record ${row.place} (event ${event.seq})` });
  const told = JSON.parse(event.body) as Told;
  if (placeName(told.place) !== row.place) return bad(`its event is about ${placeName(told.place)}`);
  if (nameOfText(row.body) !== told.record) return bad('its text is not the one that was stored');
  if (row.digest !== told.record) return bad('its digest is not that of its text');
  const record = JSON.parse(row.body) as StoredRecord;
  if (placeName(record.place) !== row.place || record.content.kind !== row.kind)
    return bad('its columns are not its text');
  if (nameOf(record.content) !== row.content) return bad('its content digest is not that of its content');
  try {
    const problem =
      (await checkFiles(db, blobs, record, seen)) ??
      (await checkRows(db, blobs, record, event.recordId as number, told, seen));
    return problem === null ? null : bad(problem);
  } catch (error) {
    if (
      error instanceof Failure &&
      (error.boundary === 'lineage' || error.subject?.startsWith(blobs.folder) === true)
    ) {
      return bad(error.message);
    }
    throw error;
  } finally {
    seen.records.push(record);
  }
}

interface Told {
  readonly place: StoredRecord['place'];
  readonly record: Digest;
  readonly rows: number;
  readonly root: Digest;
}

/** The rows that record and files give, against the event's root and against the tables. */
async function checkRows(
  db: Queryable,
  blobs: BlobFolder,
  record: StoredRecord,
  recordId: number,
  told: Told,
  seen: Seen,
): Promise<string | null> {
  const expected = await project(record, (digest) => blobs.get(digest));
  const leaves = leavesOf(told.record, expected);
  if (leaves.length !== told.rows || rootOf(leaves) !== told.root) return 'its files do not give the rows of its event';
  const loaded = await loadProjection(db, recordId);
  // A trajectory is named anew from its columns, turns and checks.
  const trajectories = loaded.trajectories.map((trajectory) => ({ ...trajectory, id: trajectoryName(trajectory) }));
  return (
    firstDifference(leaves, leavesOf(told.record, { ...loaded, trajectories })) ?? checkEdges(expected, record, seen)
  );
}

async function checkFiles(db: Queryable, blobs: BlobFolder, record: StoredRecord, seen: Seen): Promise<string | null> {
  for (const digest of record.blobs) {
    if (seen.files.has(digest)) continue;
    const bytes = await blobs.get(digest);
    const { rows } = await db.query<{ size: number }>('select size from rsi.blob where digest = $1', [
      Buffer.from(digest, 'hex'),
    ]);
    if (rows[0]?.size !== bytes.length) return `file ${digest.slice(0, 12)} is not of the size that the database says`;
    seen.files.add(digest);
  }
  return null;
}

/** "row 3 of trajectory": what the tables hold against what record and files give. */
function firstDifference(expected: readonly Leaf[], found: readonly Leaf[]): string | null {
  const key = ({ table, ordinal }: Leaf): string => `row ${ordinal} of rsi.${table}`;
  const rows = new Map(found.map((leaf) => [key(leaf), leaf.digest]));
  for (const leaf of expected) {
    const digest = rows.get(key(leaf));
    if (digest === undefined) return `${key(leaf)} is missing`;
    if (digest !== leaf.digest) return `${key(leaf)} is not what was stored (${leaf.digest.slice(0, 12)})`;
    rows.delete(key(leaf));
  }
  const [extra] = rows.keys();
  return extra === undefined ? null : `${extra} was never stored`;
}

/** Everything used was there before; only episodes of split train are learned from or rewritten. */
function checkEdges(rows: Projection, record: StoredRecord, seen: Seen): string | null {
  for (const { role, digest } of record.uses) {
    const name = `${role} ${digest.slice(0, 12)}`;
    const learnable = seen.groups.get(digest);
    if (learnable === undefined && !seen.checkpoints.has(digest))
      return `it uses ${name}, which is not stored before it`;
    if (learnable === false && learns(role)) return `it learns from ${name}, which is not of the train split`;
  }
  for (const { id, split, parentId } of rows.trajectories) {
    seen.splits.set(id, split);
    if (parentId === null) continue;
    const parentSplit = seen.splits.get(parentId);
    if (parentSplit === 'train') continue;
    const why = parentSplit === undefined ? 'which is not stored before it' : `of split ${parentSplit}`;
    return `trajectory ${id.slice(0, 12)} rewrites ${parentId.slice(0, 12)}, ${why}`;
  }
  for (const { body } of rows.tasks) seen.tasks.add(nameOfText(body));
  for (const { digest } of rows.checkpoints) seen.checkpoints.add(digest);
  if (rows.group !== null) seen.groups.set(rows.group.digest, rows.group.learnable);
  return null;
}
