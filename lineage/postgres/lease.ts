/**
 * Fencing: the highest attempt number that was taken may write. An attempt that was given up but lives on (a paused
 * machine, a cut network) finds itself superseded at its next write, instead of adding to what its successor does.
 */
import type pg from 'pg';
import { Failure } from '../../contracts/failures.ts';
import type { Queryable } from './connection.ts';

/** Waits for writes that are under way, then nobody with a lower number writes any more. */
export async function takeLease(pool: pg.Pool, runId: number, number: number): Promise<void> {
  const { rowCount } = await pool.query('update rsi.lease set number = $2 where run_id = $1 and number <= $2', [
    runId,
    number,
  ]);
  if (rowCount === 0) throw superseded(runId, number);
}

/** To be called within the transaction that writes; holds the lease's row until its end, beside other writers. */
export async function holdLease(client: Queryable, runId: number, number: number): Promise<void> {
  const { rows } = await client.query<{ number: number }>('select number from rsi.lease where run_id = $1 for share', [
    runId,
  ]);
  if ((rows[0]?.number ?? 0) > number) throw superseded(runId, number);
}

function superseded(runId: number, number: number): Failure {
  return new Failure('lineage', `attempt ${number} of run ${runId} is superseded by a later one; it may not write`, {
    subject: String(runId),
  });
}
