/**
 * A PostgreSQL for a test file: started once, a migrated template database, a copy of it per call. `TEST_DATABASE_URL`
 * (a user who may create databases) takes another server. Where none can be had, the file's tests are skipped, loudly.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { openPostgres } from '../../infra/postgres.ts';
import { migrate } from '../../lineage/postgres/migrate.ts';
import { openPostgresStore, type PostgresStore } from '../../lineage/postgres/store.ts';

export interface TestDatabase {
  readonly url: string;
  /** Folder of the stored files. */
  readonly blobs: string;
  /** A store of a run of its own, closed at the end of the file. */
  store(name?: string, options?: { readonly lease?: number; readonly connections?: number }): Promise<PostgresStore>;
  /** As the owner: what a tamperer does, triggers and foreign keys aside. */
  tamper(sql: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
}

export interface TestServer {
  readonly url: string;
  database(): Promise<TestDatabase>;
}

/** Null after saying why; give it to `skip`. */
export async function startTestServer(file: string): Promise<TestServer | null> {
  const root = await mkdtemp(join(tmpdir(), 'lineage-'));
  // As a run's home is: a folder that the server's own user may enter.
  await chmod(root, 0o755);
  const opened = await openPostgres({ databaseUrl: process.env['TEST_DATABASE_URL'], home: root, log: () => undefined })
    .catch((error: unknown) => {
      console.log(`SKIPPED ${file}: no PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }); // prettier-ignore
  if (opened === null) return null;
  const closers: (() => Promise<void>)[] = [];
  const names: string[] = [];
  let count = 0;
  const suffix = `${process.pid}_${Date.now()}`;
  const urlOf = (name: string): string => opened.url.replace(/\/[^/]*$/, `/${name}`);
  const administer = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: opened.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  after(async () => {
    for (const close of closers) await close();
    for (const name of names.toReversed()) await administer(`drop database if exists ${name} with (force)`);
    await opened.stop();
    await rm(root, { recursive: true });
  });
  const create = async (name: string, template: string): Promise<void> => {
    await administer(`create database ${name} template ${template}`);
    names.push(name);
  };
  const template = `template_${suffix}`;
  await create(template, 'template0');
  await migrate(urlOf(template));
  return {
    url: opened.url,
    database: async () => {
      const name = `test_${suffix}_${(count += 1)}`;
      await create(name, template);
      return testDatabase(urlOf(name), join(root, name), closers);
    },
  };
}

function testDatabase(url: string, blobs: string, closers: (() => Promise<void>)[]): TestDatabase {
  let runs = 0;
  return {
    url,
    blobs,
    store: async (name = `run-${(runs += 1)}`, options = {}) => {
      const run = { workflowId: 'local', firstExecutionRunId: name, configDigest: 'c'.repeat(64), seed: 7 };
      const store = await openPostgresStore({ url, blobs, run, ...options });
      closers.push(() => store.close());
      return store;
    },
    tamper: async (sql, values = []) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query('set session_replication_role = replica');
        return await client.query(sql, [...values]);
      } finally {
        await client.end();
      }
    },
  };
}
