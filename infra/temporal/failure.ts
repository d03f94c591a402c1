/** Temporal cannot be had: what happened and what to do, in one line. */
import { Failure } from '../../contracts/failures.ts';

export function temporalFailure(problem: string, remedy: string, cause?: unknown): Failure {
  return new Failure('storage', `Temporal: ${problem}; ${remedy}`, { retryable: false, ...(cause ? { cause } : {}) });
}

/** The first line of whatever was thrown. */
export function lineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
