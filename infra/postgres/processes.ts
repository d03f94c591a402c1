/**
 * What runs on a data folder: the postmaster named by `postmaster.pid`, and backends that outlived a killed one (a
 * backend in a long query stays until the query ends, and blocks every new start meanwhile). Only processes that work
 * in this very folder are ever touched.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** The live postmaster of a data folder, or null. */
export function livePostmaster(data: string): Postmaster | null {
  const lines = readText(join(data, 'postmaster.pid'))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || port <= 0) return null;
  return isAlive(pid) && worksIn(pid, data) !== false ? { pid, port } : null;
}

/** Ends what is left on the folder; to be called when its postmaster is dead. */
export async function endLeftovers(data: string): Promise<number> {
  const left = processesIn(data);
  for (const pid of left) signal(pid, 'SIGQUIT');
  await untilGone(left, 1_000);
  for (const pid of left) signal(pid, 'SIGKILL');
  await untilGone(left, 2_000);
  return left.length;
}

/** True when all of them are gone within the time. */
export async function untilGone(pids: readonly number[], milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (pids.some(isAlive)) {
    if (performance.now() > end) return false;
    await sleep(10);
  }
  return true;
}

/** A process that has ended but was not waited for (an orphan in a container without init) counts as gone. */
export function isAlive(pid: number): boolean {
  if (!isPid(pid)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const stat = readText(`/proc/${pid}/stat`);
  return stat === null || !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

export function signal(pid: number, name: NodeJS.Signals): void {
  if (!isPid(pid)) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** 0 and negative numbers mean groups of processes, whoever they belong to. */
function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0;
}

/** Tells a process from a later one that got the same pid; null where the system does not say. */
export function startOf(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function processesIn(data: string): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && worksIn(pid, data) === true && isPostgres(pid));
  } catch {
    return [];
  }
}

/** PostgreSQL's processes have the data folder as their working folder; null where the system does not say. */
function worksIn(pid: number, data: string): boolean | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === data;
  } catch {
    return null;
  }
}

/** "postgres: ..." for backends, a path for the postmaster. */
function isPostgres(pid: number): boolean {
  return /(^|\/)postgres(:|$)/.test(readText(`/proc/${pid}/cmdline`)?.split('\0')[0] ?? '');
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
