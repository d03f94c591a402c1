/**
 * RunStore in a plain folder: `log.jsonl` holds the records, one line each, in the order they were written; `blobs/`
 * the content-addressed files. A record counts once its line is whole, so a kill at any moment loses at most the work
 * that was under way. One process at a time: see folder-lock.ts.
 */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { access, copyFile, mkdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../contracts/failures.ts';
import { placeName, type Content, type Place, type RunStore, type StoredRecord } from '../contracts/run-store.ts';
import { openBlobFolder, type BlobFolder } from './blobs/blob-folder.ts';
import { contentHeadOf } from './content-head.ts';
import { lockFolder } from './folder-lock.ts';

export interface FolderStore extends RunStore {
  readonly folder: string;
  /** What opening found damaged and dropped, in words; empty when all was well. */
  readonly repairs: readonly string[];
  close(): Promise<void>;
}

export interface FolderStoreOptions {
  /** For those who only look: no lock, nothing is mended, nothing can be written. */
  readonly readOnly?: boolean;
}

/** Opens (or creates) the run folder, checks every blob that a record needs and drops what is damaged. */
export async function openFolderStore(folder: string, options: FolderStoreOptions = {}): Promise<FolderStore> {
  const { readOnly = false } = options;
  if (!readOnly) await prepareFolder(folder);
  const lock = readOnly ? null : await lockFolder(folder);
  const blobs = openBlobFolder(join(folder, 'blobs'));
  const logFile = join(folder, 'log.jsonl');
  const { records, repairs } = await readLog(folder, logFile, blobs, !readOnly).catch(async (error: unknown) => {
    await lock?.release();
    throw error;
  });
  const byPlace = new Map(records.map((record) => [placeName(record.place), record]));
  const log = readOnly ? null : openSync(logFile, 'a');
  let closed = false;
  return {
    folder,
    repairs,
    read: <T extends Content>(place: Place) =>
      Promise.resolve((byPlace.get(placeName(place)) as StoredRecord<T> | undefined) ?? null),
    write: <T extends Content>(record: StoredRecord<T>) => {
      const taken = byPlace.get(placeName(record.place)) as StoredRecord<T> | undefined;
      if (taken !== undefined) return Promise.resolve(taken);
      if (closed || log === null) {
        throw new Failure('storage', `run folder ${folder} is ${closed ? 'closed' : 'open for reading only'}`, {
          subject: folder,
        });
      }
      append(logFile, log, `${JSON.stringify(record)}\n`);
      byPlace.set(placeName(record.place), record);
      return Promise.resolve(record);
    },
    list: () => Promise.resolve([...byPlace.values()]),
    putBlob: (bytes) => blobs.put(bytes),
    getBlob: (digest) => blobs.get(digest),
    contentHead: () => Promise.resolve(contentHeadOf([...byPlace.values()])),
    close: async () => {
      if (closed) return;
      closed = true;
      if (log !== null) closeSync(log);
      await lock?.release();
    },
  };
}

/** A line whole or not at all: a full disk must not leave half of one behind. */
function append(logFile: string, log: number, line: string): void {
  const before = fstatSync(log).size;
  const bytes = Buffer.from(line);
  try {
    const written = writeSync(log, bytes);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    fsyncSync(log);
  } catch (error) {
    ftruncateSync(log, before);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('storage', `${logFile} cannot be written: ${reason}`, { subject: logFile, cause: error });
  }
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

/** Reads the log; a torn last line goes silently, everything from the first damaged record on is dropped, and said. */
async function readLog(
  folder: string,
  logFile: string,
  blobs: BlobFolder,
  mend: boolean,
): Promise<{ records: StoredRecord[]; repairs: string[] }> {
  const bytes = await readFile(logFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw new Failure('storage', `${logFile} cannot be read (${error.code ?? error.message})`, {
      ...{ subject: logFile, retryable: false, cause: error },
    });
  });
  const records: StoredRecord[] = [];
  const repairs: string[] = [];
  let whole = 0;
  const backup = `log.damaged-${Date.now()}.jsonl`;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, whole)) {
    const record = parseRecord(bytes.subarray(whole, end));
    const problem =
      record === null ? `record ${records.length + 1} of the log is not readable` : await blobProblem(blobs, record);
    if (record === null || problem !== null) {
      const dropped = bytes.subarray(whole).reduce((lines, byte) => lines + Number(byte === NEWLINE), 0);
      const kept = mend ? `; the whole log is kept as ${backup}` : '';
      repairs.push(
        `${problem}; going on from the record before it (${dropped} of ${records.length + dropped} dropped${kept})`,
      );
      break;
    }
    records.push(record);
    whole = end + 1;
  }
  if (!mend) return { records, repairs };
  // The whole log is kept beside before anything is cut off.
  if (repairs.length > 0) await copyFile(logFile, join(folder, backup));
  if (whole < bytes.length) await truncate(logFile, whole);
  return { records, repairs };
}

const NEWLINE = 0x0a;

/** Null for anything but a record: not UTF-8, not JSON, or JSON of another shape. */
function parseRecord(line: Uint8Array): StoredRecord | null {
  try {
    const record = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line)) as Partial<StoredRecord>;
    const { generation, stageIndex, step, iteration, group } = record.place ?? ({} as Partial<Place>);
    const isPlaced = [generation, stageIndex, iteration, group].every(Number.isInteger) && typeof step === 'string';
    const isWhole =
      Array.isArray(record.blobs) && Array.isArray(record.uses) && typeof record.content?.kind === 'string';
    return isPlaced && isWhole ? (record as StoredRecord) : null;
  } catch {
    return null;
  }
}

async function blobProblem(blobs: BlobFolder, record: StoredRecord): Promise<string | null> {
  for (const digest of record.blobs) {
    try {
      await blobs.get(digest);
    } catch (error) {
      return `${placeName(record.place)}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return null;
}
