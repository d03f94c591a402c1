/**
 * RunStore in a plain folder: `log.jsonl` holds the records, one line each, in the order they were written; `blobs/`
 * the content-addressed files. A record counts once its line is whole, so a kill at any moment loses at most the work
 * that was under way. One process at a time: see folder-lock.ts.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';
import { access, mkdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, type Digest } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';
import { comparePlaces, placeName, type Place, type RunStore, type StoredRecord } from '../contracts/run-store.ts';
import { lockFolder } from './folder-lock.ts';

export interface FolderStore extends RunStore {
  readonly folder: string;
  /** What opening found damaged and dropped, in words; empty when all was well. */
  readonly repairs: readonly string[];
  close(): Promise<void>;
}

/** Opens (or creates) the run folder, checks every blob that a record needs and drops what is damaged. */
export async function openFolderStore(folder: string): Promise<FolderStore> {
  await prepareFolder(folder);
  const lock = await lockFolder(folder);
  const logFile = join(folder, 'log.jsonl');
  const { records, repairs } = await readLog(folder, logFile);
  const byPlace = new Map(records.map((record) => [placeName(record.place), record]));
  const log = openSync(logFile, 'a');
  let closed = false;
  return {
    folder,
    repairs,
    read: <T>(place: Place) => Promise.resolve((byPlace.get(placeName(place)) as StoredRecord<T> | undefined) ?? null),
    write: <T>(record: StoredRecord<T>) => {
      const taken = byPlace.get(placeName(record.place)) as StoredRecord<T> | undefined;
      if (taken !== undefined) return Promise.resolve(taken);
      if (closed) throw new Failure('storage', `run folder ${folder} is closed`, { subject: folder });
      writeSync(log, `${JSON.stringify(record)}\n`);
      fsyncSync(log);
      byPlace.set(placeName(record.place), record);
      return Promise.resolve(record);
    },
    list: () => Promise.resolve([...byPlace.values()]),
    putBlob: (bytes) => putBlob(folder, bytes),
    getBlob: (digest) => getBlob(folder, digest),
    contentHead: () => Promise.resolve(contentHeadOf([...byPlace.values()])),
    close: async () => {
      if (closed) return;
      closed = true;
      closeSync(log);
      await lock.release();
    },
  };
}

/** Clocks and durations stay out; what was computed, and where it belongs, is in. */
export function contentHeadOf(records: readonly StoredRecord<unknown>[]): Digest {
  const ordered = [...records].sort((a, b) => comparePlaces(a.place, b.place));
  return digestOf(ordered.map((record) => [placeName(record.place), digestOf(record.content), record.blobs]));
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(join(folder, 'blobs'), { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Failure('storage', `run folder ${folder} cannot be written (${reason}); choose another with --out`, {
      subject: folder,
      retryable: false,
      cause: error,
    });
  }
}

/** Reads the log; a torn last line and everything from the first damaged blob on are dropped, and said. */
async function readLog(
  folder: string,
  logFile: string,
): Promise<{ records: StoredRecord<unknown>[]; repairs: string[] }> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  const records: StoredRecord<unknown>[] = [];
  const repairs: string[] = [];
  let whole = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const problem = await readLine(folder, line, records);
    if (problem !== null) {
      repairs.push(`${problem}; going on from the record before it`);
      break;
    }
    whole += Buffer.byteLength(line) + 1;
  }
  if (repairs.length > 0) await rename(logFile, join(folder, `log.damaged-${Date.now()}.jsonl`));
  if (repairs.length > 0) await writeFile(logFile, Buffer.from(text).subarray(0, whole));
  else if (whole < Buffer.byteLength(text)) await truncate(logFile, whole);
  return { records, repairs };
}

async function readLine(folder: string, line: string, records: StoredRecord<unknown>[]): Promise<string | null> {
  let record: StoredRecord<unknown>;
  try {
    record = JSON.parse(line) as StoredRecord<unknown>;
  } catch {
    return `record ${records.length + 1} of the log is not readable`;
  }
  const name = placeName(record.place);
  for (const digest of record.blobs) {
    try {
      await getBlob(folder, digest);
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  records.push(record);
  return null;
}

function blobPath(folder: string, digest: Digest): string {
  return join(folder, 'blobs', digest);
}

async function putBlob(folder: string, bytes: Uint8Array): Promise<Digest> {
  const digest = createHash('sha256').update(bytes).digest('hex');
  const path = blobPath(folder, digest);
  const there = await stat(path).catch(() => null);
  if (there?.size === bytes.length) return digest;
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, bytes, { flush: true });
  await rename(temporary, path);
  return digest;
}

async function getBlob(folder: string, digest: Digest): Promise<Uint8Array> {
  const path = blobPath(folder, digest);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new Failure('storage', `stored file ${digest.slice(0, 12)} cannot be read`, { subject: path, cause: error });
  });
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== digest) {
    throw new Failure(
      'storage',
      `stored file ${digest.slice(0, 12)} is corrupt (its content hashes to ${found.slice(0, 12)})`,
      {
        subject: path,
        retryable: false,
      },
    );
  }
  return bytes;
}
