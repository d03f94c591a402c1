/**
 * The development server of a home folder: one at a time, with a database file, on loopback. Its pid, ports and owner
 * stand in `temporal.json`; a server whose owner was killed is taken over, one that does not answer is ended. Only a
 * process that runs on this very database file is ever touched.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { keepAlive } from '../keep-alive.ts';
import { portHolder } from '../port-holder.ts';
import { isAlive, signal, startOf, untilGone } from '../processes.ts';
import type { TemporalBinary } from './binary.ts';
import { temporalFailure } from './failure.ts';
import { answers } from './namespace.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';

export interface DevServer {
  readonly pid: number;
  readonly address: string;
  readonly uiUrl: string;
  readonly how: TemporalBinary['how'];
  /** What it was started from. */
  readonly program: string;
}

interface Owner {
  readonly pid: number;
  readonly startedAt: string | null;
}

/** Wanted; taken ones are passed over. */
export const PORT = 7233;
export const UI_PORT = 8233;
const START_MS = 30_000;
const STOP_MS = 10_000;

/** The server that runs on the folder's database and answers; one that does not is ended. */
export async function findServer(home: string): Promise<(DevServer & { readonly isOwned: boolean }) | null> {
  const noted = readNote(home);
  if (noted === null || !runsOn(noted.pid, home)) return null;
  if (await answers(noted.address, 'default', 3_000)) return { ...noted, isOwned: isLive(noted.owner) };
  await endServer(noted.pid, home);
  return null;
}

export async function startServer(
  home: string,
  binary: TemporalBinary,
  log: (line: string) => void,
  wanted: readonly number[] = [PORT, UI_PORT],
): Promise<DevServer> {
  mkdirSync(join(home, 'logs'), { recursive: true });
  const [port, uiPort] = await freePorts(wanted, log);
  const logFile = join(home, 'logs', 'temporal.log');
  const output = openSync(logFile, 'a');
  const child = spawn(
    binary.path,
    [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
      ...['--db-filename', databaseOf(home), '--log-level', 'error'],
      // Known from the first moment: registered later, they are refused until caches are renewed.
      ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ],
    // A group of its own: Ctrl-C reaches us alone, and workers end before it.
    { stdio: ['ignore', output, output], detached: true },
  );
  closeSync(output);
  let ended: string | null = null;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, by) => (ended = `it ended with ${by ?? code}`));
  child.unref();
  const address = `127.0.0.1:${port}`;
  const server = {
    pid: child.pid ?? 0,
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    how: binary.how,
    program: binary.path,
  };
  noteServer(home, server);
  const end = performance.now() + START_MS;
  while (!(await answers(address, 'default', 200))) {
    if (ended === null && performance.now() < end) continue;
    await endServer(server.pid, home);
    const why = ended ?? `no answer within ${START_MS / 1000} s`;
    throw temporalFailure(`${binary.path} does not start: ${why}: ${lastLine(logFile)}`, `its log is ${logFile}`);
  }
  return server;
}

/** Starts it again where it was when it ends unasked; workers find it by the same address. Returns how to end it. */
export function keepServer(home: string, first: DevServer, log: (line: string) => void): () => Promise<void> {
  let server = first;
  const restart = async (): Promise<void> => {
    log(`Temporal: the server has ended; starting it again (its log is ${join(home, 'logs', 'temporal.log')})`);
    const ports = [server.address, server.uiUrl].map((url) => Number(url.split(':').at(-1)));
    server = await startServer(home, { path: server.program, how: server.how }, log, ports);
  };
  const release = keepAlive({ isAlive: () => isAlive(server.pid), restart, log });
  const atExit = (): void => {
    if (runsOn(server.pid, home)) signal(server.pid, 'SIGTERM');
  };
  // Should the process end without a call, the server is told to end at least.
  process.once('exit', atExit);
  return async () => {
    process.off('exit', atExit);
    await release();
    await endServer(server.pid, home);
  };
}

/** This process answers for the server from now on. */
export function noteServer(home: string, server: DevServer): void {
  const owner: Owner = { pid: process.pid, startedAt: startOf(process.pid) };
  writeFileSync(noteOf(home), JSON.stringify({ ...server, owner }));
}

/** The process that serves a home folder, if one does; nothing is asked of it. */
export function servingPid(home: string): number | null {
  const noted = readNote(home);
  return noted !== null && runsOn(noted.pid, home) ? noted.pid : null;
}

export async function endServer(pid: number, home: string): Promise<void> {
  if (runsOn(pid, home)) {
    signal(pid, 'SIGTERM');
    if (!(await untilGone([pid], STOP_MS))) {
      signal(pid, 'SIGKILL');
      await untilGone([pid], 2_000);
    }
  }
  if (readNote(home)?.pid === pid) rmSync(noteOf(home), { force: true });
}

function readNote(home: string): (DevServer & { owner: Owner }) | null {
  try {
    return JSON.parse(readFileSync(noteOf(home), 'utf8')) as DevServer & { owner: Owner };
  } catch {
    return null;
  }
}

/** A pid may have been given to somebody else: the command line tells. */
function runsOn(pid: number, home: string): boolean {
  if (pid <= 0 || !isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(databaseOf(home));
  } catch {
    // No /proc (macOS): the note is all there is.
    return process.platform !== 'linux';
  }
}

function isLive({ pid, startedAt }: Owner): boolean {
  return pid !== process.pid && isAlive(pid) && startOf(pid) === startedAt;
}

function databaseOf(home: string): string {
  return join(home, 'temporal.db');
}

function noteOf(home: string): string {
  return join(home, 'temporal.json');
}

/** The wanted ports where they are free, others where not, which is said; all distinct. */
async function freePorts(wanted: readonly number[], log: (line: string) => void): Promise<number[]> {
  const held = await Promise.all(wanted.map((port) => listenOn(port).catch(() => listenOn(0))));
  const ports = await Promise.all(held.map(({ port, release }) => release().then(() => port)));
  const changed = wanted.flatMap((port, i) => {
    if (ports[i] === port) return [];
    const holder = portHolder(port);
    return [`port ${port} is taken${holder === null ? '' : ` by ${holder}`}, so it is ${ports[i]}`];
  });
  if (changed.length > 0) log(`Temporal: ${changed.join('; ')}`);
  return ports;
}

function listenOn(wanted: number): Promise<{ port: number; release: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      resolve({ port, release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

function lastLine(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '';
}
