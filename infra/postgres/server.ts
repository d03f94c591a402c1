/**
 * Starts PostgreSQL on a data folder, waits until it answers, stops it; every wait has a limit. The server is a process
 * group of its own, so that Ctrl-C reaches its users first and it ends when they are done.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../contracts/failures.ts';
import type { PostgresBinaries } from './binaries.ts';
import { probe, serverUrl } from './connect.ts';
import type { DataFolder } from './data-folder.ts';
import { isAlive, signal, untilGone } from '../processes.ts';
import { endLeftovers, livePostmaster, type Postmaster } from './processes.ts';
import type { ServerUser } from './server-user.ts';

/** Recovery of a long write-ahead log after a crash is part of it. */
const START_MS = 60_000;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A client that was killed must not keep locks until its query ends.
  client_connection_check_interval: '2s',
};

export async function startServer(
  folder: DataFolder,
  binaries: PostgresBinaries,
  user: ServerUser | null,
  log: (line: string) => void,
): Promise<Postmaster> {
  const end = performance.now() + START_MS;
  for (let port = await freePort(lastPort(folder)); ;) {
    const outcome = await startOnce(folder, binaries, user, port, end);
    if (typeof outcome !== 'string') return outcome;
    const isBusy = /could not bind|Address already in use/.test(outcome);
    const isLeft = /still in use|pre-existing shared memory|lock file .* already exists/.test(outcome);
    if ((!isBusy && !isLeft) || performance.now() > end) {
      throw new Failure('storage', `PostgreSQL did not start on ${folder.data}: ${lastLines(outcome)}`, {
        subject: folder.logFile,
        retryable: false,
      });
    }
    if (isBusy) port = await freePort(0);
    else {
      const ended = await endLeftovers(folder.data);
      if (ended > 0) log(`Ended ${ended} processes of a PostgreSQL that was killed on ${folder.data}`);
      await sleep(100);
    }
  }
}

/** The running server, or what it said before it ended. */
async function startOnce(
  folder: DataFolder,
  { postgres }: PostgresBinaries,
  user: ServerUser | null,
  port: number,
  end: number,
): Promise<Postmaster | string> {
  const output = openSync(folder.logFile, 'a', 0o600);
  const from = statSync(folder.logFile).size;
  const settings = Object.entries({ ...SETTINGS, port: String(port) }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ]);
  const child = spawn(postgres, ['-D', folder.data, ...settings], {
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['ignore', output, output],
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  closeSync(output);
  child.unref();
  let ended: string | null = null;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, by) => (ended ??= `ended with ${code ?? by}`));
  const url = serverUrl(port, folder.password);
  for (;;) {
    if (ended !== null) return `${textFrom(folder.logFile, from)}${ended as string}`;
    if (livePostmaster(folder.data)?.pid === child.pid && (await probe(url)) === null) {
      return { pid: child.pid as number, port };
    }
    if (performance.now() > end) {
      await stopServer({ pid: child.pid as number, port }, folder.data);
      return `no answer within ${START_MS / 1000} s; ${textFrom(folder.logFile, from)}`;
    }
    await sleep(10);
  }
}

/** Fast shutdown; then immediate; then by force, its backends with it. */
export async function stopServer({ pid }: Postmaster, data: string): Promise<void> {
  const steps: readonly (readonly [NodeJS.Signals, number])[] = [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 2_000],
  ];
  for (const [name, milliseconds] of steps) {
    if (!isAlive(pid)) break;
    signal(pid, name);
    if (await untilGone([pid], milliseconds)) break;
  }
  await endLeftovers(data);
}

/** The port of last time, so that a saved address goes on working. */
function lastPort({ data }: DataFolder): number {
  const file = join(data, 'postmaster.opts');
  return existsSync(file) ? Number(/port=(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) : 0;
}

/** `wanted` if it is free, else one that the system picks. */
async function freePort(wanted: number): Promise<number> {
  const tryPort = (port: number): Promise<number | null> =>
    new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(null));
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null));
      });
    });
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? 5432;
}

function textFrom(file: string, position: number): string {
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(Math.max(0, statSync(file).size - position));
  readSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
  return bytes.toString();
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-4).join(' | ');
}
