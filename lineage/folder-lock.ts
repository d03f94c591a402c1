/** One process per run folder: a lock file with the holder's pid; a lock whose holder is gone is taken over. */
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../contracts/failures.ts';

export interface FolderLock {
  release(): Promise<void>;
}

export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'lock');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(String(process.pid));
      await file.close();
      return { release: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = Number(await readFile(path, 'utf8').catch(() => ''));
      if (holder > 0 && holder !== process.pid && isAlive(holder)) {
        throw new Failure(
          'storage',
          `run folder ${folder} is in use by process ${holder}; wait for it or choose another --out`,
          {
            subject: folder,
            retryable: false,
          },
        );
      }
      await rm(path, { force: true });
    }
  }
  throw new Failure('storage', `run folder ${folder} could not be locked`, { subject: folder });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
