/**
 * What runs on a data folder: the postmaster named by `postmaster.pid`, and backends that outlived a killed one (a
 * backend in a long query stays until the query ends, and blocks every new start meanwhile). Only processes that work
 * in this very folder are ever touched.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, signal, untilGone } from '../processes.ts';

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
