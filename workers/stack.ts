/**
 * Everything that durable runs need on one machine: Temporal, Postgres, workers; each choice is said. A home folder has
 * one stack at a time: a second caller attaches to the first one's.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contracts/failures.ts';
import { makeFolder } from '../infra/make-folder.ts';
import { lockHolder, withLock } from '../infra/native/lock.ts';
import { openPostgres } from '../infra/postgres.ts';
import { isAlive, startOf } from '../infra/processes.ts';
import { provisionTemporal } from '../infra/temporal.ts';
import { startAllInOne, type MetricsNote } from './all-in-one.ts';
import { orAborted } from './or-aborted.ts';

/** Beyond the compilation of the Temporal server. */
const START_LIMIT_MS = 30 * 60_000;

export interface StackOptions {
  readonly home: string;
  readonly namespace: string;
  /** Of a Temporal server that runs already. */
  readonly temporalAddress?: string | undefined;
  /** Of a database that runs already. */
  readonly databaseUrl?: string | undefined;
  readonly log: (line: string) => void;
  /** Gives the start up; what was started by then is stopped. */
  readonly signal?: AbortSignal | undefined;
}

/** What others need to use a stack; stands in `stack.json` while it is up. */
export interface StackNote {
  readonly pid: number;
  readonly startedAt: string | null;
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  /** With the password: the file is readable by its owner alone. */
  readonly databaseUrl: string;
  /** Where each worker serves its metrics. */
  readonly metrics: MetricsNote;
}

export interface Stack extends StackNote {
  readonly how: 'started' | 'attached';
  /** Ends what was started, in order; nothing where it was attached to. */
  stop(): Promise<void>;
}

export async function openStack(options: StackOptions): Promise<Stack> {
  const { home, log, signal } = options;
  const attach = (): Stack | null => {
    const there = readStack(home);
    if (there === null) return null;
    log(`Attached to what process ${there.pid} has started in ${home}`);
    return { ...there, how: 'attached', stop: () => Promise.resolve() };
  };
  makeHome(home);
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  const lock = { log, what: 'starting here', signal: signal === undefined ? limit : AbortSignal.any([limit, signal]) };
  // Whoever comes while another one starts waits for it, and attaches.
  return attach() ?? withLock(startLockOf(home), lock, async () => attach() ?? startStack(options));
}

async function startStack(options: StackOptions): Promise<Stack> {
  const { home, namespace, temporalAddress, databaseUrl, log, signal } = options;
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  try {
    signal?.throwIfAborted();
    // What others run comes first: where it does not answer, nothing needs to be started.
    const temporalOptions = { address: temporalAddress, namespace, home, log, signal };
    const given = temporalAddress ? await orAborted(provisionTemporal(temporalOptions), signal) : null;
    const opening = openPostgres({ databaseUrl, home, log, keep: true });
    const postgres = await (databaseUrl ? orAborted(opening, signal) : opening);
    closers.push(() => postgres.stop());
    signal?.throwIfAborted();
    const temporal = given ?? (await provisionTemporal(temporalOptions));
    closers.push(() => temporal.stop());
    signal?.throwIfAborted();
    const { address, uiUrl } = temporal;
    let note: StackNote | null = null;
    const tell = (next: StackNote): void => {
      note = next;
      // Whole or not at all: others read it at any moment.
      const part = `${noteOf(home)}.part`;
      writeFileSync(part, JSON.stringify(next), { mode: 0o600 });
      renameSync(part, noteOf(home));
    };
    const workers = await startAllInOne({
      ...{ home, address, namespace, databaseUrl: postgres.url, log, signal },
      onMetrics: (metrics) => {
        try {
          if (note !== null) tell({ ...note, metrics });
        } catch (error) {
          log(`stack.json cannot be written: ${error instanceof Error ? error.message : String(error)}`);
        }
      },
    });
    closers.push(() => workers.stop());
    const { pid } = process;
    const own = { pid, startedAt: startOf(pid), address, namespace, uiUrl, databaseUrl: postgres.url };
    tell({ ...own, metrics: workers.metrics() });
    closers.push(async () => rmSync(noteOf(home), { force: true }));
    return { ...own, metrics: workers.metrics(), how: 'started', stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The process that is just starting a stack in the home folder. */
export function startingPid(home: string): Promise<number | null> {
  return lockHolder(startLockOf(home));
}

function makeHome(home: string): void {
  try {
    makeFolder(home);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('config', `home folder ${home} cannot be written (${reason}); choose another with RSI_HOME`, {
      subject: 'RSI_HOME',
      cause: error,
    });
  }
}

function startLockOf(home: string): string {
  return join(home, 'start.lock');
}

/** The stack of a home folder; null when its process is gone. */
export function readStack(home: string): StackNote | null {
  try {
    const note = JSON.parse(readFileSync(noteOf(home), 'utf8')) as StackNote;
    const isWhole = [note.address, note.namespace, note.databaseUrl].every((text) => typeof text === 'string');
    return isWhole && isAlive(note.pid) && startOf(note.pid) === note.startedAt ? note : null;
  } catch {
    return null;
  }
}

/** Page of a workflow in the Web UI; null where no UI is known of. */
export function pageOf(
  { uiUrl, namespace }: Pick<StackNote, 'uiUrl' | 'namespace'>,
  workflowId: string,
): string | null {
  return uiUrl === null ? null : `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`;
}

function noteOf(home: string): string {
  return join(home, 'stack.json');
}
