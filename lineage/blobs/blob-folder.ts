/**
 * Content-addressed files in one folder, shared by all runs of a database. Beside the database rather than in it: weights
 * outgrow what a column holds (1 GB), would pass through the write-ahead log twice, and may be pruned one day while
 * their digests stay. A file appears whole or not at all, under the name of its digest.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../../contracts/digest.ts';
import { Failure } from '../../contracts/failures.ts';

export interface BlobFolder {
  readonly folder: string;
  put(bytes: Uint8Array): Promise<Digest>;
  /** Checked against its name on every read. */
  get(digest: Digest): Promise<Uint8Array>;
  /** Size in bytes; null when it is not there. */
  size(digest: Digest): Promise<number | null>;
}

export function openBlobFolder(folder: string): BlobFolder {
  const pathOf = (digest: Digest): string => join(folder, digest.slice(0, 2), digest);
  const size = async (digest: Digest): Promise<number | null> => {
    try {
      return (await stat(pathOf(digest))).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw unreadable(digest, pathOf(digest), error);
    }
  };
  return {
    folder,
    size,
    put: async (bytes) => {
      const digest = hashOf(bytes);
      const path = pathOf(digest);
      // A file of that name may be damaged; then it is written anew.
      const there = await readFile(path).catch(() => null);
      if (there === null || hashOf(there) !== digest) await writeWhole(path, bytes);
      return digest;
    },
    get: async (digest) => {
      const path = pathOf(digest);
      const bytes = await readFile(path).catch((error: unknown) => {
        throw unreadable(digest, path, error);
      });
      const found = hashOf(bytes);
      if (found === digest) return bytes;
      throw new Failure(
        'storage',
        `stored file ${digest.slice(0, 12)} is corrupt (its content hashes to ${found.slice(0, 12)})`,
        { subject: path, retryable: false },
      );
    },
  };
}

function hashOf(bytes: Uint8Array): Digest {
  return createHash('sha256').update(bytes).digest('hex');
}

function unreadable(digest: Digest, path: string, cause: unknown): Failure {
  return new Failure('storage', `stored file ${digest.slice(0, 12)} cannot be read`, { subject: path, cause });
}

/** The temporary name is nobody else's: several writers of the same bytes may be at it at once. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(join(path, '..'), { recursive: true });
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(join(path, '..'));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('storage', `${path} cannot be written: ${reason}`, { subject: path, cause: error });
  }
}

/** Until then a crash of the machine may forget the new name. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
