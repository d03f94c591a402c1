/**
 * One provisioner at a time for each build. A lock whose process is gone is taken over. The lock only saves work: each
 * build happens in its own folder and appears by one rename, so even two builders at once would do no harm.
 */
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOf } from '../processes.ts';
import type { ProvisionContext } from './context.ts';
import { ProvisionFailure } from './failure.ts';

const POLL_MS = 200;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Tells a process from a later one that got the same pid; null where the system does not say. */
  readonly startedAt: string | null;
}

/** Runs `work` while holding the lock file `path`. */
export async function withLock<T>(
  path: string,
  { log, signal, what = 'preparing the same build' }: Pick<ProvisionContext, 'log' | 'signal'> & { what?: string },
  work: () => Promise<T>,
): Promise<T> {
  let told = false;
  while (!(await tryLock(path))) {
    const holder = await readHolder(path);
    if (holder === 'gone') continue;
    if (holder === 'unreadable' || isDead(holder)) {
      await takeAway(path);
      continue;
    }
    if (!told) log(`Waiting for process ${holder.pid} on ${holder.host}, which is ${what}`);
    told = true;
    if (signal.aborted)
      throw new ProvisionFailure(
        `process ${holder.pid} on ${holder.host} was still ${what} when the time was up`,
        `wait for it; if it is not running any more, remove ${path}`,
      );
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** The live process of this machine that holds the lock file; null when none does. */
export async function lockHolder(path: string): Promise<number | null> {
  const holder = await readHolder(path);
  if (typeof holder === 'string' || holder.host !== hostname()) return null;
  return isDead(holder) ? null : holder.pid;
}

/** link() fails if the lock exists, and makes it appear with its contents: no one ever reads half of one. */
async function tryLock(path: string): Promise<boolean> {
  const own = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const holder: Holder = { pid: process.pid, host: hostname(), startedAt: startOf(process.pid) };
  await writeFile(own, JSON.stringify(holder));
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | 'gone' | 'unreadable'> {
  try {
    const holder = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder> | null;
    const { pid, host } = holder ?? {};
    if (typeof pid !== 'number' || pid <= 0 || typeof host !== 'string') return 'unreadable';
    return { pid, host, startedAt: holder?.startedAt ?? null };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'unreadable';
  }
}

/** Rename first: of several processes that see the same dead holder, one gets it. */
async function takeAway(path: string): Promise<void> {
  const aside = `${path}.stale-${randomBytes(4).toString('hex')}`;
  await rename(path, aside).catch(() => undefined);
  await rm(aside, { force: true });
}

/** A process on another machine (a shared home folder) counts as alive. */
function isDead({ pid, host, startedAt }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  return startedAt !== null && startOf(pid) !== startedAt;
}
