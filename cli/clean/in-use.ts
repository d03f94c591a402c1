/** Whether something still runs on a home folder: removing its files under it would lose what it is about to store. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { livePostmaster } from '../../infra/postgres/processes.ts';
import { isAlive } from '../../infra/processes.ts';
import { servingPid } from '../../infra/temporal/dev-server.ts';
import { readStack } from '../../workers/stack.ts';

/** One line that says what is up and how to end it; null when nothing is. */
export function whatIsUp(home: string, elsewhere: string): string | null {
  const stack = readStack(home);
  if (stack !== null) return `process ${stack.pid} is up in ${home}; stop it: rsi down`;
  const server = servingPid(home);
  if (server !== null) return `a Temporal server (process ${server}) runs in ${home}; stop it: rsi down`;
  for (const folder of [join(home, 'postgres'), elsewhere]) {
    if (!existsSync(folder)) continue;
    const postmaster = livePostmaster(join(realpathSync(folder), 'data'));
    if (postmaster !== null)
      return `a database server (process ${postmaster.pid}) runs in ${folder}; stop it: rsi down`;
  }
  for (const lock of locksOf(home)) {
    const holder = holderOf(lock);
    if (holder > 0 && holder !== process.pid && isAlive(holder)) {
      return `process ${holder} works in ${home} (${lock}); wait for it, or stop it with Ctrl-C`;
    }
  }
  return null;
}

/** Of bare runs under way, and of a start under way. */
function locksOf(home: string): string[] {
  const runs = join(home, 'runs');
  const names = existsSync(runs) ? readdirSync(runs) : [];
  return [
    ...names.map((name) => join(runs, name, 'lock')),
    join(home, 'temporal.lock'),
    join(home, 'postgres', 'lock'),
  ];
}

/** The pid alone (lineage/folder-lock.ts), or as JSON (infra/native/lock.ts); 0 when nobody holds it. */
function holderOf(lock: string): number {
  try {
    const held = JSON.parse(readFileSync(lock, 'utf8')) as number | { readonly pid?: number };
    return typeof held === 'number' ? held : (held.pid ?? 0);
  } catch {
    return 0;
  }
}
