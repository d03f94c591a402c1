/** Addresses of a server, tries to reach it, and why that failed, in words that hold no password. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Failure } from '../../contracts/failures.ts';
import { SUPERUSER } from './data-folder.ts';

export function serverUrl(port: number, password: string, database = 'postgres'): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Null when it answers, else what it said. */
export async function probe(url: string): Promise<Error | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  // A server that goes away while being asked is no more than a failed try.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Wrong password, no such role, no such database: waiting does not help. */
const HOPELESS = new Set(['28P01', '28000', '3D000', '42501']);

/** Waits for a database that somebody else runs. */
export async function waitForDatabase(url: string, milliseconds: number, log: (line: string) => void): Promise<void> {
  const name = nameOf(url);
  const seconds = Math.round(milliseconds / 1000);
  const end = performance.now() + milliseconds;
  for (let tries = 1; ; tries++) {
    const error = await probe(url);
    if (error === null) return;
    const { code } = error as { code?: string };
    const reason = error.message === '' ? (code ?? 'no reason given') : error.message;
    const isHopeless = HOPELESS.has(code ?? '');
    if (!isHopeless && performance.now() < end) {
      if (tries === 1) log(`Database: ${name} does not answer (${reason}); trying for ${seconds} s`);
      await sleep(500);
      continue;
    }
    const waited = isHopeless ? '' : ` after ${seconds} s`;
    throw new Failure('storage', `the database ${name} of DATABASE_URL cannot be reached${waited}: ${reason}`, {
      subject: name,
      retryable: !isHopeless,
      cause: error,
    });
  }
}

/** "host:port/database", without user and password. */
export function nameOf(url: string): string {
  try {
    const { host, pathname, protocol } = new URL(url);
    if (!/^postgres(ql)?:$/.test(protocol)) throw new Error(protocol);
    return `${host}${pathname}`;
  } catch {
    throw new Failure(
      'config',
      'DATABASE_URL is not an address; expected postgresql://user:password@host:port/database',
      {
        subject: 'DATABASE_URL',
      },
    );
  }
}

/** An address that may be printed: whoever needs the password knows where it lies. */
export function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.toString();
}

/** Makes the database of our own within the server, once. */
export async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
