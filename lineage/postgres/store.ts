/**
 * RunStore in Postgres, bytes in a content-addressed folder. A write is whole or not at all and at most once per place,
 * whoever repeats it; retrying after a lost connection is the caller's (Failure.retryable says when it makes sense).
 */
import type pg from 'pg';
import type { Digest } from '../../contracts/digest.ts';
import { Failure } from '../../contracts/failures.ts';
import { placeName, type Content, type Place, type RunStore, type StoredRecord } from '../../contracts/run-store.ts';
import { openBlobFolder, type BlobFolder } from '../blobs/blob-folder.ts';
import { contentHeadOf } from '../content-head.ts';
import { project } from '../projection/project.ts';
import { claimRun, type RunClaim } from './claim-run.ts';
import { APP_ROLE, bytesOf, openPool } from './connection.ts';
import { asDatabaseFailure } from './database-failure.ts';
import { takeLease } from './lease.ts';
import { migrate } from './migrate.ts';
import { writeRecord } from './write-record.ts';

export interface PostgresStoreOptions {
  readonly url: string;
  /** Folder of the stored files, the same for all runs of the database. */
  readonly blobs: string;
  readonly run: RunClaim;
  /** Number of this attempt: a lower one that is still about cannot write any more. Left out: not fenced. */
  readonly lease?: number;
  readonly connections?: number;
}

export interface EventHead {
  readonly events: number;
  readonly head: Digest;
}

export interface PostgresStore extends RunStore {
  readonly runId: number;
  /** Counts the runs of the workflow id, from 1. */
  readonly ordinal: number;
  /** Length and last hash of the chain: to be kept outside of the database. */
  eventHead(): Promise<EventHead>;
  close(): Promise<void>;
}

/** Migrates the database if need be and claims the run. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, run, lease = null, connections = 4 } = options;
  await migrate(url);
  const pool = openPool(url, { max: connections, role: await appRole(url) });
  try {
    const { id, ordinal } = await claimRun(pool, run);
    if (lease !== null) await takeLease(pool, id, lease);
    return storeOf(pool, openBlobFolder(options.blobs), { url, runId: id, ordinal, lease });
  } catch (error) {
    await pool.end();
    throw asDatabaseFailure(error, `run ${run.workflowId}`, url);
  }
}

interface OpenedRun {
  readonly url: string;
  readonly runId: number;
  readonly ordinal: number;
  readonly lease: number | null;
}

function storeOf(pool: pg.Pool, blobs: BlobFolder, { url, runId, ordinal, lease }: OpenedRun): PostgresStore {
  const told = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw asDatabaseFailure(error, what, url);
    }
  };
  const list = (): Promise<readonly StoredRecord[]> =>
    told(`records of run ${runId}`, async () => {
      const { rows } = await pool.query<{ body: string }>(
        `select r.body from rsi.event e join rsi.record r on r.id = e.record_id where e.run_id = $1 order by e.seq`,
        [runId],
      );
      return rows.map(({ body }) => JSON.parse(body) as StoredRecord);
    });
  let closing: Promise<void> | null = null;
  return {
    runId,
    ordinal,
    list,
    read: <T extends Content>(place: Place) =>
      told(placeName(place), async () => {
        const stored = await readRecord<T>(pool, runId, place);
        // A record whose file is gone does not exist: made once more, it brings the file back.
        return stored !== null && (await hasFiles(blobs, stored)) ? stored.record : null;
      }),
    write: <T extends Content>(record: StoredRecord<T>) =>
      told(placeName(record.place), async () => {
        const stored = await readRecord<T>(pool, runId, record.place);
        if (stored !== null) return stored.record;
        const rows = await project(record, (digest) => blobs.get(digest));
        await writeRecord(pool, { runId, lease }, record, rows);
        return ((await readRecord<T>(pool, runId, record.place)) as Stored<T>).record;
      }),
    putBlob: (bytes) =>
      told('a stored file', async () => {
        const digest = await blobs.put(bytes);
        const row = [bytesOf(digest), bytes.length];
        await pool.query('insert into rsi.blob (digest, size) values ($1, $2) on conflict do nothing', row);
        return digest;
      }),
    getBlob: (digest) => blobs.get(digest),
    contentHead: async () => contentHeadOf(await list()),
    eventHead: () => told(`events of run ${runId}`, () => eventHeadOf(pool, runId)),
    close: () => (closing ??= pool.end()),
  };
}

interface Stored<T extends Content> {
  readonly record: StoredRecord<T>;
  /** Sizes of its files, in its order. */
  readonly sizes: readonly number[];
}

async function readRecord<T extends Content>(pool: pg.Pool, runId: number, place: Place): Promise<Stored<T> | null> {
  const { rows } = await pool.query<{ body: string; sizes: string[] }>(
    `select body, array(select b.size::text from rsi.record_blob rb join rsi.blob b on b.digest = rb.digest
                        where rb.record_id = r.id order by rb.ordinal) as sizes
     from rsi.record r where run_id = $1 and generation = $2 and stage_index = $3 and step = $4 and iteration = $5
       and group_index = $6`,
    [runId, place.generation, place.stageIndex, place.step, place.iteration, place.group],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { record: JSON.parse(row.body) as StoredRecord<T>, sizes: row.sizes.map(Number) };
}

async function hasFiles(blobs: BlobFolder, { record, sizes }: Stored<Content>): Promise<boolean> {
  const found = await Promise.all(record.blobs.map((digest) => blobs.size(digest)));
  return found.every((size, i) => size === sizes[i]);
}

export async function eventHeadOf(db: Pick<pg.Pool, 'query'>, runId: number): Promise<EventHead> {
  const { rows } = await db.query<EventHead>(
    `select seq as events, encode(hash, 'hex') as head from rsi.event where run_id = $1 order by seq desc limit 1`,
    [runId],
  );
  const [head] = rows;
  if (head === undefined) throw new Failure('lineage', `run ${runId} has no events`, { subject: String(runId) });
  return head;
}

/** The role to write as, if the server has it and lets this user take it. */
async function appRole(url: string): Promise<string | null> {
  const pool = openPool(url, { max: 1 });
  try {
    await pool.query(`set role ${APP_ROLE}`);
    return APP_ROLE;
  } catch (error) {
    const failure = asDatabaseFailure(error, `role ${APP_ROLE}`, url);
    // Not told, because nobody answered: to write as the owner for that would be to give the guard up.
    if (failure.retryable) throw failure;
    return null;
  } finally {
    await pool.end();
  }
}
