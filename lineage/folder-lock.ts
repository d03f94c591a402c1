/**
 * One process per run folder: a lock file with the holder's pid; a lock whose holder is gone is taken over. The file
 * appears with its content in one step (a hard link), so nobody ever reads a half-written one.
 */
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '../contracts/failures.ts';

export interface FolderLock {
  release(): Promise<void>;
}

/** Folders locked by this very process: in a container the next process often has the pid of the one that died. */
const heldHere = new Set<string>();

export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'lock');
  const name = resolve(path);
  const inUse = (by: string): Failure =>
    new Failure('storage', `run folder ${folder} is in use by ${by}; wait for it or choose another --out`, {
      ...{ subject: folder, retryable: false },
    });
  if (heldHere.has(name)) throw inUse('this process');
  heldHere.add(name);
  try {
    await acquire(path, inUse);
  } catch (error) {
    heldHere.delete(name);
    throw error;
  }
  return {
    release: async () => {
      await rm(path, { force: true });
      heldHere.delete(name);
    },
  };
}

async function acquire(path: string, inUse: (by: string) => Failure): Promise<void> {
  const own = `${path}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (await linked(own, path)) return;
      const holder = Number(await readFile(path, 'utf8').catch(() => ''));
      if (holder > 0 && holder !== process.pid && isAlive(holder)) throw inUse(`process ${holder}`);
      await rm(path, { force: true });
    }
    throw new Failure('storage', `${path} could not be taken`, { subject: path });
  } finally {
    await rm(own, { force: true });
  }
}

/** False when the lock is there already. */
async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
