/** Stops the stack of a home folder: asks its process, then ends the servers that a killed one has left there. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openPostgres } from '../infra/postgres.ts';
import { signal, untilGone } from '../infra/processes.ts';
import { endServer, findServer } from '../infra/temporal/dev-server.ts';
import { readStack, startingPid } from './stack.ts';

/** False when it did not end within the time. */
export async function stopStack(folder: string, limitMs: number, log: (line: string) => void): Promise<boolean> {
  const home = resolve(folder);
  const pid = readStack(home)?.pid ?? (await startingPid(home));
  if (pid !== null) {
    signal(pid, 'SIGTERM');
    if (!(await untilGone([pid], limitMs))) {
      log(`Process ${pid} has not ended within ${limitMs / 1000} s; end it by hand`);
      return false;
    }
    log(`Stopped what process ${pid} had started in ${home}`);
    return true;
  }
  const server = await findServer(home);
  if (server !== null && !server.isOwned) {
    await endServer(server.pid, home);
    log(`Stopped a Temporal server that was left behind (${server.address})`);
  }
  if (existsSync(join(home, 'postgres'))) {
    // Taking over what may be left, so that it ends in order; a fresh one ends at once.
    const postgres = await openPostgres({ home, log: () => undefined });
    await postgres.stop();
    if (postgres.how === 'adopted') log('Stopped a database server that was left behind');
  }
  if (server === null) log(`Nothing is running in ${home}`);
  return true;
}
