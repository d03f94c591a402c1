/** Processes by their numbers: whether they live, since when, and how they are told to end. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

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

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
