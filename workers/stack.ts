/**
 * Everything that durable runs need on one machine: Temporal, Postgres, workers; each choice is said. A home folder has
 * one stack at a time: a second caller attaches to the first one's.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../infra/postgres.ts';
import { isAlive, startOf } from '../infra/postgres/processes.ts';
import { provisionTemporal } from '../infra/temporal.ts';
import { startAllInOne } from './all-in-one.ts';

export interface StackOptions {
  readonly home: string;
  readonly namespace: string;
  /** Of a Temporal server that runs already. */
  readonly temporalAddress?: string | undefined;
  /** Of a database that runs already. */
  readonly databaseUrl?: string | undefined;
  readonly log: (line: string) => void;
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
}

export interface Stack extends StackNote {
  readonly how: 'started' | 'attached';
  /** Ends what was started, in order; nothing where it was attached to. */
  stop(): Promise<void>;
}

export async function openStack(options: StackOptions): Promise<Stack> {
  const { home, namespace, temporalAddress, databaseUrl, log } = options;
  const there = readStack(home);
  if (there !== null) {
    log(`Attached to what process ${there.pid} has started in ${home}`);
    return { ...there, how: 'attached', stop: () => Promise.resolve() };
  }
  mkdirSync(home, { recursive: true });
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  try {
    const postgres = await openPostgres({ databaseUrl, home, log });
    closers.push(() => postgres.stop());
    const temporal = await provisionTemporal({ address: temporalAddress, namespace, home, log });
    closers.push(() => temporal.stop());
    const { address, uiUrl } = temporal;
    const workers = await startAllInOne({ home, address, namespace, databaseUrl: postgres.url, log });
    closers.push(() => workers.stop());
    const { pid } = process;
    const note: StackNote = { pid, startedAt: startOf(pid), address, namespace, uiUrl, databaseUrl: postgres.url };
    writeFileSync(noteOf(home), JSON.stringify(note), { mode: 0o600 });
    closers.push(async () => rmSync(noteOf(home), { force: true }));
    return { ...note, how: 'started', stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The stack of a home folder; null when its process is gone. */
export function readStack(home: string): StackNote | null {
  try {
    const note = JSON.parse(readFileSync(noteOf(home), 'utf8')) as StackNote;
    return isAlive(note.pid) && startOf(note.pid) === note.startedAt ? note : null;
  } catch {
    return null;
  }
}

function noteOf(home: string): string {
  return join(home, 'stack.json');
}
