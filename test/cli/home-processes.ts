/** What runs for a home folder, whoever its parent is: by the folder's name in the environment, command line or working folder. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** "4711 node" */
export function processesOf(home: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)))
    .filter((pid) => belongs(pid, home))
    .map((pid) => `${pid} ${read(`/proc/${pid}/comm`).trim()}`);
}

/** Processes that were told to end need a moment. Returns who is still there. */
export async function leftOf(home: string, seconds: number): Promise<string[]> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const left = processesOf(home);
    if (left.length === 0 || performance.now() > end) return left;
    await sleep(100);
  }
}

function belongs(pid: string, home: string): boolean {
  const says = (path: string): boolean => read(path).split('\0').join('\n').includes(home);
  return says(`/proc/${pid}/environ`) || says(`/proc/${pid}/cmdline`) || linkOf(`/proc/${pid}/cwd`).startsWith(home);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
