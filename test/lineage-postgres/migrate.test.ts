/** Migrations are applied once, in order, by one of many; an edited or unknown one is refused; rows are never changed. */
import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { APP_ROLE } from '../../lineage/postgres/connection.ts';
import { migrate } from '../../lineage/postgres/migrate.ts';
import { startTestServer, type TestServer } from './database.ts';
import { playTinyRun } from './tiny-run.ts';

const server = await startTestServer('migrate.test.ts');
const skip = server === null ? 'no PostgreSQL could be started' : false;
const MIGRATIONS = fileURLToPath(new URL('../../lineage/migrations', import.meta.url));

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

test('eight migrators at once on an empty database: each migration is applied by one', { skip }, async () => {
  const db = await (server as TestServer).database();
  await withClient(db.url, (client) => client.query('drop schema rsi cascade'));
  const results = await Promise.all(Array.from({ length: 8 }, () => migrate(db.url)));
  const { version } = results[0] as (typeof results)[0];
  const applied = results.flatMap((result) => result.applied).sort((a, b) => a - b);
  assert.deepEqual(applied, Array.from({ length: version }, (_, i) => i + 1)); // prettier-ignore
  assert.deepEqual(await migrate(db.url), { applied: [], version });
});

test(
  'an edited migration and one that this program does not have are refused; a new one is applied',
  { skip },
  async () => {
    const db = await (server as TestServer).database();
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    await cp(MIGRATIONS, folder, { recursive: true });
    await writeFile(join(folder, '000099_more.sql'), 'create table rsi.more (a int);');
    assert.deepEqual((await migrate(db.url, folder)).applied, [99]);
    await assert.rejects(migrate(db.url), { boundary: 'lineage', message: /has migration 000099_more.sql, which/ });
    await appendFile(join(folder, '000099_more.sql'), '\n');
    await assert.rejects(migrate(db.url, folder), { message: /000099_more.sql was edited after it was applied/ });
    await rm(folder, { recursive: true });
  },
);

test('a failing migration leaves nothing behind', { skip }, async () => {
  const db = await (server as TestServer).database();
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(MIGRATIONS, folder, { recursive: true });
  await writeFile(join(folder, '000099_bad.sql'), 'create table rsi.more (a int); select 1 / 0;');
  await assert.rejects(migrate(db.url, folder), { boundary: 'storage', message: /division by zero/ });
  assert.deepEqual((await migrate(db.url)).applied, []);
  await rm(folder, { recursive: true });
});

test(
  'no row of the lineage is changed or removed, be it by the owner or by the role of the workers',
  { skip },
  async () => {
    const db = await (server as TestServer).database();
    await playTinyRun(await db.store());
    await withClient(db.url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select table_name as name from information_schema.tables
       where table_schema = 'rsi' and table_type = 'BASE TABLE' and table_name not in ('lease', 'migration')`,
      );
      assert.ok(rows.length >= 14);
      for (const { name } of rows) {
        await assert.rejects(client.query(`delete from rsi.${name}`), /append-only/, name);
        await assert.rejects(client.query(`truncate rsi.${name} cascade`), /append-only/, name);
      }
      await assert.rejects(client.query('update rsi.trajectory set seed = 1'), /append-only/);
      await client.query(`set role ${APP_ROLE}`);
      for (const { name } of rows)
        await assert.rejects(client.query(`delete from rsi.${name}`), /permission denied/, name);
      await assert.rejects(client.query('alter table rsi.event disable trigger all'), /must be owner/);
      await assert.rejects(client.query('set session_replication_role = replica'), /permission denied/);
    });
  },
);
