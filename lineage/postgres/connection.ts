/**
 * Connections of the lineage: bigint comes back as a number (refused beyond 2^53), a statement has a time limit, and
 * writers act as the role that may only read and insert.
 */
import pg from 'pg';
import { Failure } from '../../contracts/failures.ts';

export type Queryable = Pick<pg.ClientBase, 'query'>;

/** The role of 000005_append_only.sql. */
export const APP_ROLE = 'rsi_app';

const parserOf = (oid: number, format?: 'text' | 'binary'): unknown =>
  oid === Number(pg.types.builtins.INT8) && format !== 'binary' ? safeNumber : pg.types.getTypeParser(oid, format);

const types: pg.CustomTypesConfig = { getTypeParser: parserOf as pg.CustomTypesConfig['getTypeParser'] };

function safeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new Failure('lineage', `${text} from the database is beyond what a number holds`);
}

export interface PoolOptions {
  readonly max?: number;
  /** Act as this role; the user who connects must be allowed to. */
  readonly role?: string | null;
  readonly statementTimeoutMs?: number;
  /** Silence within a transaction after which the server ends it: a frozen writer must not hold the lease for ever. */
  readonly silenceMs?: number;
}

export function openPool(
  url: string,
  { max = 4, role = null, statementTimeoutMs = 60_000, silenceMs = 10_000 }: PoolOptions = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    connectionTimeoutMillis: 10_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: silenceMs,
    application_name: 'terminal-rsi',
    ...(role === null ? {} : { options: `-c role=${role}` }),
  });
  // An idle connection that breaks is replaced at the next query, which tells if the server is gone.
  pool.on('error', () => undefined);
  return pool;
}

export async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A connection may break between two queries; the next query then says so.
  const unheard = (): void => undefined;
  client.on('error', unheard);
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    client.off('error', unheard);
    client.release(broken);
  }
}

/** Bytes of a hex name. */
export function bytesOf(digest: string): Buffer {
  return Buffer.from(digest, 'hex');
}
