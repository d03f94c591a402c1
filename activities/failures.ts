/**
 * The one place where failures become Temporal's: a type per boundary (contracts/failures.ts), retried unless the
 * failure says that another attempt will not help. The message stays the one line that it was.
 */
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { asFailure, type Failure, type FailureBoundary } from '../contracts/failures.ts';

export const FAILURE_TYPES: Readonly<Record<FailureBoundary, string>> = {
  config: 'InvalidRunConfig',
  task: 'TaskDefinitionInvalid',
  sandbox: 'SandboxUnavailable',
  model: 'ModelInvalid',
  storage: 'StorageUnavailable',
  lineage: 'LineageRefused',
  compute: 'ComputeFailed',
};

export function toApplicationFailure(failure: Failure): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES[failure.boundary],
    message: failure.message,
    nonRetryable: !failure.retryable,
    details: [failure.toRecord()],
    cause: failure,
  });
}

/** Does the work; whatever it throws leaves as a failure of `boundary`, or of its own. Cancellation is no failure. */
export async function atBoundary<T>(boundary: FailureBoundary, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    throw toApplicationFailure(asFailure(error, boundary));
  }
}
