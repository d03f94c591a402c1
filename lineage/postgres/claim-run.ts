/**
 * A run's row, claimed by (workflow id, first execution's run id): the same claim finds the same row, a new execution of
 * the workflow id makes the next ordinal. The first event of its chain says whose run it is.
 */
import type pg from 'pg';
import { canonicalText } from '../../contracts/canonical-text.ts';
import type { Digest } from '../../contracts/digest.ts';
import { Failure } from '../../contracts/failures.ts';
import { bytesOf, inTransaction, type Queryable } from './connection.ts';

export interface RunClaim {
  /** 'local' for a bare run. */
  readonly workflowId: string;
  /** Of a bare run, the name of its folder. */
  readonly firstExecutionRunId: string;
  readonly configDigest: Digest;
  readonly seed: number;
}

export interface RunRow extends RunClaim {
  readonly id: number;
  readonly ordinal: number;
}

export function claimRun(pool: pg.Pool, claim: RunClaim): Promise<RunRow> {
  return inTransaction(pool, 'begin', async (client) => {
    const { workflowId, firstExecutionRunId, configDigest, seed } = claim;
    await client.query('select pg_advisory_xact_lock(4712, hashtext($1))', [workflowId]);
    const { rows } = await client.query<{ id: number; ordinal: number; config: string; seed: number }>(
      `select id, ordinal, encode(config_digest, 'hex') as config, seed from rsi.run
       where workflow_id = $1 and first_execution_run_id = $2`,
      [workflowId, firstExecutionRunId],
    );
    const [known] = rows;
    if (known !== undefined) {
      if (known.config === configDigest && known.seed === seed) return { ...claim, ...pick(known) };
      const what = known.seed === seed ? `configuration ${known.config.slice(0, 12)}` : `seed ${known.seed}`;
      throw new Failure('lineage', `run ${workflowId} (${known.ordinal}) was begun with ${what}; go on with that one`, {
        subject: workflowId,
      });
    }
    const made = await client.query<{ id: number; ordinal: number }>(
      `insert into rsi.run (workflow_id, first_execution_run_id, ordinal, config_digest, seed)
       select $1, $2, coalesce(max(ordinal), 0) + 1, $3, $4 from rsi.run where workflow_id = $1 returning id, ordinal`,
      [workflowId, firstExecutionRunId, bytesOf(configDigest), seed],
    );
    const row: RunRow = { ...claim, ...pick(made.rows[0] as { id: number; ordinal: number }) };
    await client.query('insert into rsi.lease (run_id) values ($1)', [row.id]);
    await client.query(`select rsi.append_events($1, '{run}', array[$2], array[null::bigint])`, [
      row.id,
      runEvent(row),
    ]);
    return row;
  });
}

/** Body of the first event: the audit compares it with the row. */
export function runEvent({ workflowId, firstExecutionRunId, ordinal, configDigest, seed }: RunRow): string {
  return canonicalText({ workflowId, firstExecutionRunId, ordinal, configDigest, seed: String(seed) });
}

export async function findRun(db: Queryable, id: number): Promise<RunRow> {
  const { rows } = await db.query<RunRow>(
    `select id, workflow_id as "workflowId", first_execution_run_id as "firstExecutionRunId", ordinal, seed,
       encode(config_digest, 'hex') as "configDigest" from rsi.run where id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined)
    throw new Failure('lineage', `there is no run ${id} in this database`, { subject: String(id) });
  return row;
}

function pick({ id, ordinal }: { id: number; ordinal: number }): { id: number; ordinal: number } {
  return { id, ordinal };
}
