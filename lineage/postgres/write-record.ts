/**
 * One record in one transaction: its row, the rows that show it, one event with the Merkle root over them. The place is
 * unique: of two writers the second waits for the first and then finds the place taken.
 */
import type pg from 'pg';
import { canonicalText } from '../../contracts/canonical-text.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import { nameOf, nameOfText } from '../canonical.ts';
import { leavesOf, rootOf } from '../projection/leaves.ts';
import type { Projection } from '../projection/projection.ts';
import { bytesOf, inTransaction, type Queryable } from './connection.ts';
import { insertProjection } from './insert-projection.ts';
import { holdLease } from './lease.ts';

export interface Writing {
  readonly runId: number;
  /** Number of the attempt that writes; null: not fenced. */
  readonly lease: number | null;
}

/** False when the place was taken. */
export async function writeRecord(
  pool: pg.Pool,
  { runId, lease }: Writing,
  record: StoredRecord,
  rows: Projection,
): Promise<boolean> {
  const body = canonicalText(record);
  const digest = nameOfText(body);
  const leaves = leavesOf(digest, rows);
  const event = {
    place: record.place,
    kind: record.content.kind,
    record: digest,
    rows: leaves.length,
    root: rootOf(leaves),
    lease,
  };
  try {
    await inTransaction(pool, 'begin isolation level read committed', async (client) => {
      if (lease !== null) await holdLease(client, runId, lease);
      const recordId = await insertRecord(client, runId, record, body, digest);
      if (recordId === null) throw new PlaceTaken();
      await insertProjection(client, { runId, recordId, record }, rows);
      // The last statement before the commit: the chain's lock is held no longer than that.
      await client.query(`select rsi.append_events($1, '{record}', array[$2], array[$3::bigint])`, [
        runId,
        canonicalText({ ...event, at: new Date().toISOString() }),
        recordId,
      ]);
    });
    return true;
  } catch (error) {
    if (error instanceof PlaceTaken) return false;
    throw error;
  }
}

/** Rolls the transaction back; never leaves this file. */
class PlaceTaken extends Error {}

async function insertRecord(
  client: Queryable,
  runId: number,
  { place, content }: StoredRecord,
  body: string,
  digest: string,
): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>(
    `insert into rsi.record
       (run_id, generation, stage_index, step, iteration, group_index, kind, body, digest, content_digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (run_id, generation, stage_index, step, iteration, group_index) do nothing returning id`,
    [
      ...[runId, place.generation, place.stageIndex, place.step, place.iteration, place.group, content.kind],
      ...[body, bytesOf(digest), bytesOf(nameOf(content))],
    ],
  );
  return rows[0]?.id ?? null;
}
