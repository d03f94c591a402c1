/**
 * Applies lineage/migrations/NNNNNN_*.sql in order, each once, in a transaction of its own, one migrator at a time. A
 * file that was edited after it was applied is refused: what runs would not be what the audit believes.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Failure } from '../../contracts/failures.ts';
import { sha256 } from '../canonical.ts';
import { inTransaction, openPool, type Queryable } from './connection.ts';
import { asDatabaseFailure } from './database-failure.ts';

export interface Migrated {
  /** Numbers applied by this call. */
  readonly applied: readonly number[];
  readonly version: number;
}

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly digest: Buffer;
}

const FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));
const OLDEST_SERVER = 150_000;
/** Any two numbers that nobody else uses. */
const LOCK = [4711, -1] as const;

export async function migrate(url: string, folder: string = FOLDER): Promise<Migrated> {
  const migrations = readMigrations(folder);
  const pool = openPool(url, { max: 1, statementTimeoutMs: 0 });
  try {
    await checkServer(pool);
    const applied: number[] = [];
    for (const migration of await pending(pool, migrations)) {
      if (await apply(pool, migration)) applied.push(migration.number);
    }
    return { applied, version: migrations.at(-1)?.number ?? 0 };
  } catch (error) {
    throw asDatabaseFailure(error, 'the migration of the database', url);
  } finally {
    await pool.end();
  }
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8');
      return { number: Number.parseInt(name, 10), name, sql, digest: sha256(sql) };
    });
}

async function checkServer(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ number: string }>(`select current_setting('server_version_num') as number`);
  const found = Number(rows[0]?.number);
  if (found >= OLDEST_SERVER) return;
  throw new Failure(
    'storage',
    `PostgreSQL ${OLDEST_SERVER / 10_000} or newer is needed; the server says server_version_num = ${found}`,
    { retryable: false },
  );
}

async function pending(db: Queryable, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  if (!(await hasBegun(db))) return migrations;
  const applied = await db.query<{ number: number; name: string; digest: Buffer }>(
    'select number, name, digest from rsi.migration',
  );
  const byNumber = new Map(applied.rows.map((row) => [row.number, row]));
  for (const { number, name, digest } of migrations) {
    if (byNumber.get(number)?.digest.equals(digest) === false) {
      throw new Failure(
        'lineage',
        `migration ${name} was edited after it was applied; put it back, and add a new one`,
        {
          subject: name,
        },
      );
    }
    byNumber.delete(number);
  }
  const [unknown] = byNumber.values();
  if (unknown !== undefined) {
    throw new Failure('lineage', `the database has migration ${unknown.name}, which this program does not: update it`, {
      subject: unknown.name,
    });
  }
  return migrations.filter(({ number }) => !applied.rows.some((row) => row.number === number));
}

/** Asked of the catalogue's tables: `to_regclass` may still answer from what this connection remembers. */
async function hasBegun(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query(`select from pg_tables where schemaname = 'rsi' and tablename = 'migration'`);
  return rowCount === 1;
}

/** False when another migrator was there first. */
function apply(pool: pg.Pool, { number, name, sql, digest }: Migration): Promise<boolean> {
  return inTransaction(pool, 'begin', async (client) => {
    await client.query('select pg_advisory_xact_lock($1, $2)', [...LOCK]);
    if (await hasBegun(client)) {
      const { rowCount } = await client.query('select 1 from rsi.migration where number = $1', [number]);
      if (rowCount !== 0) return false;
    }
    await client.query(sql);
    await client.query('insert into rsi.migration (number, name, digest) values ($1, $2, $3)', [number, name, digest]);
    return true;
  });
}
