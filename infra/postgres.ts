/**
 * Gives the lineage its database: the one of DATABASE_URL, else an embedded PostgreSQL in `<home>/postgres`, started
 * here or, when a former process was killed and left it running, adopted. `rsi up`, the demo and the tests call it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asFailure } from '../contracts/failures.ts';
import { keepAlive } from './keep-alive.ts';
import { withLock } from './native/lock.ts';
import { findBinaries } from './postgres/binaries.ts';
import { createDatabase, nameOf, probe, serverUrl, waitForDatabase } from './postgres/connect.ts';
import { placeFolder, prepareData } from './postgres/data-folder.ts';
import { livePostmaster, type Postmaster } from './postgres/processes.ts';
import { startServer, stopServer } from './postgres/server.ts';
import { serverUser } from './postgres/server-user.ts';
import { isAlive, signal, startOf } from './processes.ts';

export interface PostgresOptions {
  readonly databaseUrl?: string | undefined;
  readonly home: string;
  readonly log: (line: string) => void;
  /** How long to wait for a given database. */
  readonly waitMs?: number;
  /** Starts an embedded server again when it ends unasked. */
  readonly keep?: boolean;
}

export interface OpenedPostgres {
  /** With the password; not for logs. */
  readonly url: string;
  readonly how: 'given' | 'started' | 'adopted';
  /** Where the embedded server keeps its data (`<home>/postgres` may be a link to it); null for a given database. */
  readonly folder: string | null;
  /** Ends what was started, or adopted from a dead process; another live process's server and a given one go on. */
  stop(): Promise<void>;
}

const DATABASE = 'rsi';

export async function openPostgres({
  databaseUrl,
  home,
  log,
  waitMs = 30_000,
  keep = false,
}: PostgresOptions): Promise<OpenedPostgres> {
  if (databaseUrl !== undefined && databaseUrl !== '') {
    await waitForDatabase(databaseUrl, waitMs, log);
    log(`Database: ${nameOf(databaseUrl)} (given)`);
    return { url: databaseUrl, how: 'given', folder: null, stop: () => Promise.resolve() };
  }
  try {
    return await openEmbedded(home, log, keep);
  } catch (error) {
    throw asFailure(error, 'storage', home);
  }
}

async function openEmbedded(home: string, log: (line: string) => void, keep: boolean): Promise<OpenedPostgres> {
  const user = serverUser(log);
  const binaries = findBinaries(user);
  const place = placeFolder(home, user, log);
  const lock = { log, signal: AbortSignal.timeout(120_000) };
  return withLock(join(place, 'lock'), lock, async () => {
    const folder = prepareData(place, binaries, user);
    const left = livePostmaster(folder.data);
    const answers = left !== null && (await probe(serverUrl(left.port, folder.password))) === null;
    // One that holds the folder but does not answer (stopping, or hung) is ended before a new one starts.
    if (left !== null && !answers) await stopServer(left, folder.data);
    const server = left !== null && answers ? left : await startServer(folder, binaries, user, log);
    const how = server === left ? 'adopted' : 'started';
    const url = serverUrl(server.port, folder.password, DATABASE);
    await createDatabase(serverUrl(server.port, folder.password), DATABASE);
    const owner = join(place, 'owner');
    const isOurs = how === 'started' || !isOwned(owner);
    if (isOurs) writeFileSync(owner, JSON.stringify(self()));
    log(`Database: PostgreSQL ${binaries.version} on 127.0.0.1:${server.port} in ${place} (${how})`);
    if (!isOurs) return { url, how, folder: place, stop: () => Promise.resolve() };
    let current = server;
    const restart = async (): Promise<void> => {
      log('Database: the server has ended; starting it again');
      current = await startServer(folder, binaries, user, log);
      if (current.port !== server.port) log(`Database: its port was taken, it is ${current.port} now; start anew`);
    };
    const release = keep ? keepAlive({ isAlive: () => isAlive(current.pid), restart, log }) : undefined;
    return { url, how, folder: place, stop: stopper({ server: () => current, data: folder.data, owner, release }) };
  });
}

interface Running {
  /** The one that runs now: it may have been started again. */
  readonly server: () => Postmaster;
  readonly data: string;
  readonly owner: string;
  /** Ends the watch over it; left out where nobody watches. */
  readonly release?: (() => Promise<void>) | undefined;
}

/** Stops once; should the process end without a call, the server is told to end at least. */
function stopper({ server: current, data, owner, release }: Running): () => Promise<void> {
  const atExit = (): void => {
    if (isAlive(current().pid)) signal(current().pid, 'SIGINT');
  };
  process.once('exit', atExit);
  let stopping: Promise<void> | null = null;
  return () =>
    (stopping ??= (async () => {
      process.off('exit', atExit);
      await release?.();
      const server = current();
      // It may have been killed and started anew by someone else meanwhile: that one is not ours.
      if (livePostmaster(data)?.pid === server.pid) await stopServer(server, data);
      rmSync(owner, { force: true });
    })());
}

interface Owner {
  readonly pid: number;
  readonly startedAt: string | null;
}

function self(): Owner {
  return { pid: process.pid, startedAt: startOf(process.pid) };
}

/** Whether a live process answers for the server. */
function isOwned(file: string): boolean {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(file, 'utf8')) as Owner;
    return isAlive(pid) && startOf(pid) === startedAt;
  } catch {
    return false;
  }
}
