/** Who listens on a port of this machine, as far as /proc tells: the address's inode, then the process that has it open. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** "process 4711 (postgres)"; null where the system does not say (another user's process, no /proc). */
export function portHolder(port: number): string | null {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listenersIn(readText(table), port)));
  if (inodes.size === 0) return null;
  for (const pid of entries('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!entries(`/proc/${pid}/fd`).some((fd) => inodes.has(linkOf(`/proc/${pid}/fd/${fd}`)))) continue;
    const name = readText(`/proc/${pid}/comm`).trim();
    return `process ${pid}${name === '' ? '' : ` (${name})`}`;
  }
  return null;
}

/** Rows are `sl local_address rem_address st ... uid timeout inode`; a local address ends with the port in hexadecimal. */
function listenersIn(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const LISTEN = '0A';
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(wanted) && fields[3] === LISTEN)
    .map((fields) => `socket:[${fields[9]}]`);
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
