/** The one place where a process of the durable loop opens a run's store. */
import { openPostgresStore, type PostgresStore } from '../lineage/postgres/store.ts';
import type { RunRef } from './run-ref.ts';

/** Where runs are kept: the same for all workers. */
export interface Storage {
  readonly databaseUrl: string;
  /** Folder of the stored files. */
  readonly blobs: string;
}

/** `lease`: number of the attempt that writes; lower ones are refused from now on. */
export function openRunStore(
  { databaseUrl, blobs }: Storage,
  run: Omit<RunRef, 'id' | 'ordinal'>,
  lease?: number,
): Promise<PostgresStore> {
  const { workflowId, firstExecutionRunId, configDigest, seed } = run;
  return openPostgresStore({
    ...{ url: databaseUrl, blobs, connections: 2 },
    run: { workflowId, firstExecutionRunId, configDigest, seed },
    ...(lease === undefined ? {} : { lease }),
  });
}
