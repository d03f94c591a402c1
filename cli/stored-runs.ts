/**
 * Stored runs by what a person calls them, for commands that only read: a bare run by its folder or the folder's name, a
 * durable one by its number or workflow id. The database is opened only when one of them lies there.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contracts/failures.ts';
import { openFolderStore } from '../lineage/folder-store.ts';
import { openStoredRun } from '../lineage/postgres/open-stored-run.ts';
import type { ComparedRun } from '../viewer/compare/compare-runs.ts';
import { askLineage, findLineageRun, hasLineage, type LineageDatabase } from './lineage-database.ts';
import { findRun, readRunConfig, runsFolder } from './run-folder.ts';

export async function readStoredRuns(
  names: readonly string[],
  warn: (line: string) => void,
): Promise<readonly ComparedRun[]> {
  // A name that is nowhere is told as a folder's where there is no database to look in.
  const isDurable = (name: string): boolean => !isFolder(name) && hasLineage();
  const readAll = (database: LineageDatabase | null): Promise<ComparedRun[]> =>
    Promise.all(
      names.map((name) =>
        database !== null && isDurable(name) ? readDurable(database, name) : readFolder(findRun(name), warn),
      ),
    );
  return names.some(isDurable) ? askLineage(readAll) : readAll(null);
}

function isFolder(name: string): boolean {
  return [name, join(runsFolder(), name)].some((folder) => existsSync(join(folder, 'log.jsonl')));
}

async function readFolder(folder: string, warn: (line: string) => void): Promise<ComparedRun> {
  const config = readRunConfig(folder);
  if (config === null) throw new Failure('config', `run folder ${folder} has no run.json to tell its configuration`);
  const store = await openFolderStore(folder, { readOnly: true });
  for (const repair of store.repairs) warn(`${folder} is damaged: ${repair}`);
  return { name: folder, config, records: await store.list() };
}

async function readDurable({ db, blobs }: LineageDatabase, asked: string): Promise<ComparedRun> {
  const { id, workflowId } = await findLineageRun(db, asked);
  const store = await openStoredRun(db, blobs, id);
  return { name: `${id} (${workflowId})`, config: store.config, records: await store.list() };
}
