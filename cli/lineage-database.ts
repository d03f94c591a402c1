/** The lineage database that a question is put to: DATABASE_URL, that of the running stack, or the folder's own, started for it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contracts/failures.ts';
import { openPostgres } from '../infra/postgres.ts';
import { openPool, type Queryable } from '../lineage/postgres/connection.ts';
import { migrate } from '../lineage/postgres/migrate.ts';
import { listRuns, type RunSummary } from '../lineage/postgres/queries.ts';
import { homeOf } from '../workers/settings.ts';
import { readStack } from '../workers/stack.ts';

export interface LineageDatabase {
  readonly url: string;
  /** Folder of the stored files. */
  readonly blobs: string;
  readonly db: Queryable;
}

/** Whether there is a database that can be asked. */
export function hasLineage(): boolean {
  const home = homeOf();
  return knownUrl(home) !== undefined || existsSync(join(home, 'postgres'));
}

function knownUrl(home: string): string | undefined {
  return process.env['DATABASE_URL'] || readStack(home)?.databaseUrl;
}

export async function askLineage<T>(ask: (database: LineageDatabase) => Promise<T>): Promise<T> {
  const home = homeOf();
  // A question makes no database.
  if (!hasLineage()) {
    throw new Failure(
      'config',
      `there is no lineage in ${home} yet; \`rsi up\` begins one, DATABASE_URL names another`,
    );
  }
  const blobs = process.env['RSI_BLOBS'] || join(home, 'blobs');
  const known = knownUrl(home);
  const server = await openPostgres({ databaseUrl: known, home, log: () => undefined });
  const pool = openPool(server.url, { max: 1 });
  try {
    // A database that was never used has no tables yet: it then answers that it holds no run.
    await migrate(server.url);
    return await ask({ url: server.url, blobs, db: pool });
  } finally {
    await pool.end();
    await server.stop();
  }
}

/** A run by its number or its workflow id (the latest of that id). */
export async function findLineageRun(db: Queryable, asked: string): Promise<RunSummary> {
  const runs = await listRuns(db);
  const found = runs.find(({ id, workflowId }) => String(id) === asked || workflowId === asked);
  if (found !== undefined) return found;
  const known = runs.slice(0, 10).map(({ id, workflowId }) => `${id} (${workflowId})`);
  throw new Failure(
    'lineage',
    `run '${asked}' is not in this database; ${known.length === 0 ? 'it holds none' : `known: ${known.join(', ')}`}`,
    {
      subject: asked,
    },
  );
}
