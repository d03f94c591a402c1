/** What stands behind a failed child or activity, in the one line that its author wrote. */
import { RetryState } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';

/** The innermost application failure. */
export function applicationFailureOf(error: unknown): ApplicationFailure | null {
  if (error instanceof ActivityFailure || error instanceof ChildWorkflowFailure)
    return applicationFailureOf(error.cause);
  return error instanceof ApplicationFailure ? error : null;
}

/** Not null: all attempts were used up by something that may be put right, so the run can wait for that. */
export function parkingReason(error: unknown): string | null {
  if (!(error instanceof ActivityFailure)) return null;
  const isWorthAnother =
    error.retryState === RetryState.MAXIMUM_ATTEMPTS_REACHED || error.retryState === RetryState.TIMEOUT;
  if (!isWorthAnother) return null;
  const failure = applicationFailureOf(error);
  return `${error.activityType}: ${failure?.message ?? error.cause?.message ?? error.message}; resume tries again`;
}

/** What a workflow fails with: the cause itself, not its wrappings, so that the UI shows its line. */
export function asRunFailure(error: unknown): unknown {
  const failure = applicationFailureOf(error);
  if (failure === null || failure === error) return error;
  const { message, type, details } = failure;
  return ApplicationFailure.create({
    message,
    nonRetryable: true,
    ...(type ? { type } : {}),
    ...(details ? { details } : {}),
  });
}
