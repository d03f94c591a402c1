/**
 * The audit of a run from its database and its files alone: chain, records, files, Merkle roots, rows, uses, splits. Reads
 * one snapshot, so a run may go on meanwhile. What it cannot see by itself (a cut tail, a wholly rewritten run) it sees
 * when given a head that was noted outside earlier. What remains unprotected: docs/lineage.md.
 */
import type { Digest } from '../../contracts/digest.ts';
import { openBlobFolder } from '../blobs/blob-folder.ts';
import { contentHeadOf } from '../content-head.ts';
import { findRun, runEvent, type RunRow } from '../postgres/claim-run.ts';
import { inTransaction, openPool, type Queryable } from '../postgres/connection.ts';
import { asDatabaseFailure } from '../postgres/database-failure.ts';
import { checkChain, eventsOf, type CheckedChain } from './chain.ts';
import { checkRecord, type BadRow, type Seen } from './check-record.ts';

export interface AuditOptions {
  readonly url: string;
  readonly blobs: string;
  readonly runId: number;
  /** A head that was kept outside of the database: the chain must contain it. */
  readonly expected?: { readonly events: number; readonly head: Digest };
}

export interface AuditResult {
  readonly ok: boolean;
  readonly events: number;
  readonly head: Digest;
  /** Over the records as they are; says nothing while `ok` is false. */
  readonly contentHead: Digest;
  readonly firstBad: BadRow | null;
}

export async function auditRun({ url, ...asked }: AuditOptions): Promise<AuditResult> {
  const pool = openPool(url, { max: 1, statementTimeoutMs: 600_000, silenceMs: 600_000 });
  try {
    return await inTransaction(pool, 'begin isolation level repeatable read read only', (db) => auditWithin(db, asked));
  } catch (error) {
    throw asDatabaseFailure(error, `the audit of run ${asked.runId}`, url);
  } finally {
    await pool.end();
  }
}

/** Within a transaction that shows one snapshot. */
export async function auditWithin(
  db: Queryable,
  { blobs, runId, expected }: Omit<AuditOptions, 'url'>,
): Promise<AuditResult> {
  const run = await findRun(db, runId);
  const chain = await checkChain(db, runId, expected?.events ?? null);
  const seen: Seen = {
    ...{ checkpoints: new Set(), groups: new Map(), splits: new Map(), tasks: new Set(), files: new Set() },
    records: [],
  };
  const firstBad =
    chain.firstBad ??
    missingHead(chain, expected) ??
    (await firstBadRecord(db, blobs, run, seen)) ??
    (await strayRow(db, runId, seen));
  const { events, head } = chain;
  return { ok: firstBad === null, events, head, contentHead: contentHeadOf(seen.records), firstBad };
}

function missingHead(chain: CheckedChain, expected: AuditOptions['expected']): BadRow | null {
  if (expected === undefined || chain.at === expected.head) return null;
  const where = `event ${expected.events}`;
  if (chain.events < expected.events) {
    return { what: `the chain ends at event ${chain.events}; the noted head counts ${expected.events}`, where };
  }
  return { what: 'its hash is not the noted head: the run was rewritten', where };
}

async function firstBadRecord(db: Queryable, blobs: string, run: RunRow, seen: Seen): Promise<BadRow | null> {
  const files = openBlobFolder(blobs);
  let isFirst = true;
  for await (const event of eventsOf(db, run.id)) {
    if (isFirst !== (event.kind === 'run')) return { what: 'it is not where it belongs', where: `event ${event.seq}` };
    const bad =
      event.kind === 'run'
        ? event.body === runEvent(run)
          ? null
          : { what: `it is not what event 1 says of it`, where: `run ${run.id}` }
        : await checkRecord(db, files, event, seen);
    if (bad !== null) return bad;
    isFirst = false;
  }
  return isFirst ? { what: 'it has no events', where: `run ${run.id}` } : null;
}

/** Rows that no event accounts for. */
async function strayRow(db: Queryable, runId: number, seen: Seen): Promise<BadRow | null> {
  const { rows: records } = await db.query<{ place: string }>(
    `select rsi.place_name(r) as place from rsi.record r
     where run_id = $1 and not exists (select from rsi.event e where e.record_id = r.id) order by id limit 1`,
    [runId],
  );
  if (records[0] !== undefined) return { what: 'it has no event', where: `record ${records[0].place}` };
  const { rows: tasks } = await db.query<{ name: Digest }>(
    `select encode(body_digest, 'hex') as name from rsi.task where run_id = $1`,
    [runId],
  );
  const stray = tasks.find(({ name }) => !seen.tasks.has(name));
  return stray === undefined ? null : { what: 'no group attempted it', where: `task ${stray.name.slice(0, 12)}` };
}
