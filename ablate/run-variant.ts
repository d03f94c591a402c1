/**
 * One run of a study: the loop as local-run.ts tells it, over the lineage store in Postgres, so that `rsi report`, `audit`,
 * `compare` and `lineage` know it by its workflow id. Told again after Ctrl-C or a kill, it goes on from what is stored.
 */
import { canonicalText } from '../contracts/canonical-text.ts';
import { digestOf } from '../contracts/digest.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { elapsedOf, type StoredRecord } from '../contracts/run-store.ts';
import { nameOf } from '../lineage/canonical.ts';
import { copyRecords } from '../lineage/copy-run.ts';
import { openPool } from '../lineage/postgres/connection.ts';
import { openStoredRun, type StoredRun } from '../lineage/postgres/open-stored-run.ts';
import { listRuns } from '../lineage/postgres/queries.ts';
import { openPostgresStore, type PostgresStore } from '../lineage/postgres/store.ts';
import type { Backend } from '../model/backend.ts';
import { environmentOf, requireBackend } from '../training/environment.ts';
import { localRun } from '../training/local-run.ts';
import { openLoop } from '../training/open-loop.ts';
import type { ProgressEvent } from '../training/progress-event.ts';
import type { RunResult } from '../training/run-result.ts';
import type { RowCircumstances } from './row.ts';
import { recordsOf, sharedParts } from './shared-start.ts';

export interface Storage {
  readonly databaseUrl: string;
  /** Folder of the stored files. */
  readonly blobs: string;
}

export interface VariantRun {
  readonly workflowId: string;
  readonly config: RunConfig;
  /** The base's run of that seed, to take the start from where it is the same; null for the base itself. */
  readonly base: { readonly workflowId: string; readonly config: RunConfig } | null;
}

export interface FinishedVariant {
  readonly result: RunResult;
  readonly records: readonly StoredRecord[];
  readonly shared: RowCircumstances['shared'];
}

export interface Told {
  readonly say: (line: string) => void;
  readonly report: (event: ProgressEvent) => void;
  readonly signal: AbortSignal;
}

export async function runVariant(
  run: VariantRun,
  storage: Storage,
  backend: Backend,
  { say, report, signal }: Told,
): Promise<FinishedVariant> {
  const { config, workflowId } = run;
  const store = await claim(run, storage);
  try {
    const shared = run.base === null ? null : await takeStart(store, run, storage, backend);
    await requireBackend(store, backend.name);
    if (shared !== null) say(`${shared.parts.join(', ')}: ${shared.records} records of ${shared.from}`);
    const stored = (await store.list()).length - (shared?.records ?? 0);
    if (stored > 0) say(`${workflowId} goes on from ${stored} stored records`);
    const loop = await openLoop({ config, backend, store, report, signal });
    try {
      return { result: await localRun(loop.context), records: await store.list(), shared };
    } finally {
      await loop.close();
    }
  } finally {
    await store.close();
  }
}

/** A run is known by its configuration: with another one the same workflow id begins its next run. */
async function claim({ workflowId, config }: VariantRun, { databaseUrl, blobs }: Storage): Promise<PostgresStore> {
  const configDigest = digestOf(config);
  const run = { workflowId, firstExecutionRunId: configDigest, configDigest, seed: config.seed };
  const store = await openPostgresStore({ url: databaseUrl, blobs, run });
  // Whoever reads the run finds its configuration by the digest in its row.
  await store.putBlob(new TextEncoder().encode(canonicalText(config)));
  return store;
}

/** Copies what the base's run has of a start that is the same; null where there is nothing to take, or too late. */
async function takeStart(
  store: PostgresStore,
  { base, config }: VariantRun,
  storage: Storage,
  backend: Backend,
): Promise<FinishedVariant['shared']> {
  if (base === null) return null;
  const parts = sharedParts(base.config, config);
  const pool = openPool(storage.databaseUrl, { max: 1 });
  try {
    const from = parts.length === 0 ? null : await findBase(pool, storage.blobs, base);
    if (from === null || (await environmentOf(from))?.backend !== backend.name) return null;
    const start = recordsOf(await from.list(), base.config, parts);
    const held = await store.list();
    // A run that has begun by itself goes on by itself.
    if (held.some((record, i) => i < start.length && nameOf(record) !== nameOf(start[i]))) return null;
    await copyRecords(start, from, store);
    const seconds = Math.round(elapsedOf(start));
    return { from: base.workflowId, parts, records: start.length, seconds };
  } finally {
    await pool.end();
  }
}

async function findBase(
  pool: ReturnType<typeof openPool>,
  blobs: string,
  { workflowId, config }: NonNullable<VariantRun['base']>,
): Promise<StoredRun | null> {
  const digest = digestOf(config);
  const found = (await listRuns(pool)).find(
    (run) => run.workflowId === workflowId && run.firstExecutionRunId === digest,
  );
  return found === undefined ? null : openStoredRun(pool, blobs, found.id);
}
