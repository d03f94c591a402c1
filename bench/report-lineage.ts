/**
 * `npm run bench -- lineage`: how fast groups of 128 trajectories are stored, in Postgres with all its rows, hashes and
 * constraints, and in the plain folder of a bare run, the same groups one after the other in both.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunStore } from '../contracts/run-store.ts';
import { openPostgres } from '../infra/postgres.ts';
import { openFolderStore } from '../lineage/folder-store.ts';
import { openPostgresStore } from '../lineage/postgres/store.ts';
import type { BenchReport } from './bench-report.ts';
import { recordGroups, type RecordedGroup } from './recorded-groups.ts';

const TRAJECTORIES = 128;
const GROUPS = 24;
/** Stored before the clock starts: connections, plans and pages are warm in a run. */
const WARM_UP = 4;

interface Rate {
  readonly seconds: number;
  readonly recordsPerSecond: number;
  readonly trajectoriesPerSecond: number;
}

export async function reportLineage(): Promise<BenchReport> {
  const root = mkdtempSync(join(tmpdir(), 'rsi-bench-'));
  // The database server's own user has to enter it.
  chmodSync(root, 0o755);
  try {
    const groups = await recordGroups(WARM_UP + GROUPS, TRAJECTORIES);
    const postgres = await inPostgres(root, groups);
    const folder = await inFolder(root, groups);
    const ratio = postgres.seconds / folder.seconds;
    const line = (name: string, { recordsPerSecond, trajectoriesPerSecond }: Rate): string =>
      `${name.padEnd(10)}${recordsPerSecond.toFixed(1).padStart(9)} records/s${trajectoriesPerSecond.toFixed(0).padStart(9)} trajectories/s`; // prettier-ignore
    return {
      numbers: { postgres, folder, ratio },
      lines: [
        `lineage insert, ${GROUPS} groups of ${TRAJECTORIES} trajectories`,
        ...[line('Postgres', postgres), line('folder', folder)],
        `Postgres takes ${ratio.toFixed(1)} times as long as the folder`,
      ],
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function inPostgres(root: string, groups: readonly RecordedGroup[]): Promise<Rate> {
  const server = await openPostgres({ home: root, log: () => undefined });
  try {
    const run = { workflowId: 'bench', firstExecutionRunId: 'bench', configDigest: 'c'.repeat(64), seed: 0 };
    const store = await openPostgresStore({ url: server.url, blobs: join(root, 'blobs'), run, connections: 2 });
    return await measured(store, groups).finally(() => store.close());
  } finally {
    await server.stop();
  }
}

async function inFolder(root: string, groups: readonly RecordedGroup[]): Promise<Rate> {
  const store = await openFolderStore(join(root, 'run'));
  return measured(store, groups).finally(() => store.close());
}

async function measured(store: RunStore, groups: readonly RecordedGroup[]): Promise<Rate> {
  const keep = async ({ record, file }: RecordedGroup): Promise<void> => {
    await store.putBlob(file);
    await store.write(record);
  };
  for (const group of groups.slice(0, WARM_UP)) await keep(group);
  const began = performance.now();
  for (const group of groups.slice(WARM_UP)) await keep(group);
  const seconds = (performance.now() - began) / 1000;
  const stored = (await store.list()).length;
  if (stored !== groups.length) throw new Error(`${stored} of ${groups.length} groups were stored`);
  return { seconds, recordsPerSecond: GROUPS / seconds, trajectoriesPerSecond: (GROUPS * TRAJECTORIES) / seconds };
}
