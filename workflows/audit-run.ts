/** The audit of a run from database and files alone; `trainRun` ends with it, and it may be started by hand. */
import { ApplicationFailure, setCurrentDetails } from '@temporalio/workflow';
import type { AuditResult } from '../lineage/audit/audit-run.ts';
import { asRunFailure } from './failure-reason.ts';
import { auditActivity } from './run-activities.ts';

export interface AuditInput {
  /** Number of the run's row: the run's details and result tell it. */
  readonly runId?: number;
}

export async function auditRun(input?: AuditInput): Promise<AuditResult> {
  const { runId } = input ?? {};
  if (typeof runId !== 'number' || !Number.isInteger(runId)) {
    const message = 'auditRun takes {"runId": N}, the number that the run shows in its details';
    throw ApplicationFailure.nonRetryable(message, 'InvalidInput');
  }
  try {
    const result = await auditActivity().executeWithOptions({ summary: `audit of run ${runId}` }, [runId]);
    const verdict = result.ok ? 'holds' : `broken: ${result.firstBad?.where}: ${result.firstBad?.what}`;
    setCurrentDetails(`Run ${runId}: the chain of ${result.events} events **${verdict}**. Head \`${result.head}\`.`);
    return result;
  } catch (error) {
    throw asRunFailure(error);
  }
}
