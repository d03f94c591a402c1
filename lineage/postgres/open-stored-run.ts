/**
 * A run that is there already, to be read: no claim, no lease, nothing is written. Its records are taken in one
 * statement, so a run that goes on meanwhile is seen as it was at one moment. Reports are told from it (cli/retell.ts).
 */
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import { Failure } from '../../contracts/failures.ts';
import { placeName, type Content, type Place, type RunStore, type StoredRecord } from '../../contracts/run-store.ts';
import { openBlobFolder } from '../blobs/blob-folder.ts';
import { contentHeadOf } from '../content-head.ts';
import { findRun, type RunRow } from './claim-run.ts';
import type { Queryable } from './connection.ts';
import { asDatabaseFailure } from './database-failure.ts';
import type { EventHead } from './store.ts';

export interface StoredRun extends RunStore {
  readonly run: RunRow;
  readonly config: RunConfig;
  /** Its chain, in order; the first says whose run it is. */
  readonly events: readonly StoredEvent[];
  /** Of these events. */
  readonly eventHead: EventHead;
}

export interface StoredEvent {
  readonly seq: number;
  /** Of the event: the chain's head so far. */
  readonly hash: string;
  /** Null for the event that says whose run it is. */
  readonly record: StoredRecord | null;
  /** Seconds since it was written, by the database's clock. */
  readonly age: number;
}

export async function openStoredRun(db: Queryable, blobs: string, runId: number): Promise<StoredRun> {
  const run = await findRun(db, runId);
  const files = openBlobFolder(blobs);
  const config = parseRunConfig(JSON.parse(new TextDecoder().decode(await files.get(run.configDigest))));
  const events = await eventsAfter(db, runId, 0);
  const records = events.flatMap(({ record }) => (record === null ? [] : [record]));
  const byPlace = new Map(records.map((record) => [placeName(record.place), record]));
  const last = events.at(-1);
  if (last === undefined) throw new Failure('lineage', `run ${runId} has no events`, { subject: String(runId) });
  const refuse = (): Promise<never> =>
    Promise.reject(new Failure('storage', `run ${runId} is open for reading only`, { subject: String(runId) }));
  return {
    ...{ run, config, events },
    eventHead: { events: last.seq, head: last.hash },
    read: <T extends Content>(place: Place) =>
      Promise.resolve((byPlace.get(placeName(place)) as StoredRecord<T> | undefined) ?? null),
    list: () => Promise.resolve(records),
    getBlob: (digest) => files.get(digest),
    contentHead: () => Promise.resolve(contentHeadOf(records)),
    write: refuse,
    putBlob: refuse,
  };
}

/** The events of a run beyond the one of that number, in their order. */
export async function eventsAfter(db: Queryable, runId: number, seq: number): Promise<StoredEvent[]> {
  try {
    const { rows } = await db.query<{ seq: number; hash: string; body: string | null; age: number | null }>(
      `select e.seq, encode(e.hash, 'hex') as hash, r.body, extract(epoch from now() - r.written_at)::float8 as age
       from rsi.event e left join rsi.record r on r.id = e.record_id where e.run_id = $1 and e.seq > $2 order by e.seq`,
      [runId, seq],
    );
    return rows.map(({ body, age, ...event }) => ({
      ...event,
      record: body === null ? null : (JSON.parse(body) as StoredRecord),
      age: age ?? 0,
    }));
  } catch (error) {
    throw asDatabaseFailure(error, `events of run ${runId}`);
  }
}
