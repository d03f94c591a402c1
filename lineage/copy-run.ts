/**
 * Copies a run from one store to another, for instance a bare run's folder into Postgres: records in the order they were
 * written, each after its files. What is there already stays, so a copy that was cut short goes on.
 */
import { Failure } from '../contracts/failures.ts';
import { placeName, type RunStore, type StoredRecord } from '../contracts/run-store.ts';
import { nameOf } from './canonical.ts';

export interface CopiedRun {
  readonly records: number;
  readonly blobs: number;
}

export async function copyRun(from: RunStore, to: RunStore): Promise<CopiedRun> {
  return copyRecords(await from.list(), from, to);
}

/** Some records of a run, in the order given; what they use must be among them or there already. */
export async function copyRecords(
  records: readonly StoredRecord[],
  from: Pick<RunStore, 'getBlob'>,
  to: RunStore,
): Promise<CopiedRun> {
  const copied = new Set<string>();
  for (const record of records) {
    for (const digest of record.blobs) {
      if (copied.has(digest)) continue;
      await to.putBlob(await from.getBlob(digest));
      copied.add(digest);
    }
    const kept = await to.write(record);
    if (nameOf(kept) === nameOf(record)) continue;
    throw new Failure('lineage', `${placeName(record.place)} holds another record already; copy into a new run`, {
      subject: placeName(record.place),
    });
  }
  return { records: records.length, blobs: copied.size };
}
