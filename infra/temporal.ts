/**
 * Gives the pipeline its Temporal: the server at a given address, else a development server with Web UI and a database
 * file in the home folder, started here or, when a former process was killed and left it running, taken over.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withLock } from './native/lock.ts';
import { findBinary, type TemporalBinary } from './temporal/binary.ts';
import { findServer, keepServer, noteServer, startServer } from './temporal/dev-server.ts';
import { temporalFailure } from './temporal/failure.ts';
import { answers, prepareNamespace } from './temporal/namespace.ts';

export interface TemporalOptions {
  /** Of a server that runs already (TEMPORAL_ADDRESS). */
  readonly address?: string | undefined;
  readonly namespace?: string;
  readonly home: string;
  readonly log: (line: string) => void;
  /** Gives up making the server's program, which may take minutes. */
  readonly signal?: AbortSignal | undefined;
}

export interface Temporal {
  readonly address: string;
  /** Of the Web UI; null where the server was given. */
  readonly uiUrl: string | null;
  /** Where the server's program is from. */
  readonly how: 'given' | TemporalBinary['how'];
  /** Ends what was started or taken over; a given server, or one of another live process, goes on. */
  stop(): Promise<void>;
}

const GIVEN_MS = 20_000;

export async function provisionTemporal(options: TemporalOptions): Promise<Temporal> {
  const { address, namespace = 'default', home, log, signal } = options;
  if (address !== undefined && address !== '') {
    if (!(await answers(address, namespace, GIVEN_MS))) {
      const problem = `${address} does not answer for namespace ${namespace} (waited ${GIVEN_MS / 1000} s)`;
      throw temporalFailure(problem, 'start it, or unset TEMPORAL_ADDRESS to have one started here');
    }
    log(`Temporal: ${address} (given)`);
    await prepareNamespace(address, namespace, log);
    return { address, uiUrl: null, how: 'given', stop: () => Promise.resolve() };
  }
  return ownServer(resolve(home), log, signal);
}

async function ownServer(home: string, log: (line: string) => void, signal?: AbortSignal): Promise<Temporal> {
  mkdirSync(home, { recursive: true });
  const lock = { log, signal: AbortSignal.timeout(25 * 60_000) };
  return withLock(join(home, 'temporal.lock'), lock, async () => {
    const left = await findServer(home);
    const server = left ?? (await startServer(home, await findBinary(log, signal), log));
    const isOurs = left?.isOwned !== true;
    if (isOurs) noteServer(home, server);
    const { address, uiUrl, how } = server;
    const state = left === null ? 'started' : isOurs ? 'taken over' : 'of another process';
    log(`Temporal: ${address} (${state}), Web UI ${uiUrl}`);
    await prepareNamespace(address, 'default', log);
    const stop = isOurs ? keepServer(home, server, log) : () => Promise.resolve();
    return { address, uiUrl, how, stop };
  });
}
