/** Every timeout and retry of the workflows, with its reason. */
import type { ActivityOptions } from '@temporalio/workflow';

/** Workflows and everything that needs the database alone. */
export const CONTROL_QUEUE = 'control';
/** Whoever holds a model; one activity at a time for each device. */
export const GPU_QUEUE = 'gpu';
/** Terminals without a model: tasks prove themselves there before anything is learned from them. */
export const SANDBOX_QUEUE = 'sandbox';

const BACKOFF = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' } as const;
/** 1 s to 30 s apart, they last about three minutes. */
const ATTEMPTS = { ...BACKOFF, maximumAttempts: 10 };

/**
 * The claim of a run: some statements in Postgres. A database that is being restarted is back within minutes; one that
 * stays away parks the run with its message.
 */
export const CLAIM: ActivityOptions = {
  taskQueue: CONTROL_QUEUE,
  // An insert takes milliseconds; opening the connection may wait 10 s, the migration of an old database longer.
  startToCloseTimeout: '1 minute',
  retry: ATTEMPTS,
};

/**
 * A run that has done everything else takes no more messages, so nobody could tell it to try again: it waits for a
 * database that is away for a day. The Web UI shows the attempts and why they failed.
 */
const A_DAY = { ...BACKOFF, maximumAttempts: 2_880 };

/** The end of a run: some statements in Postgres. */
export const FINISH: ActivityOptions = {
  taskQueue: CONTROL_QUEUE,
  // As for the claim.
  startToCloseTimeout: '1 minute',
  retry: A_DAY,
};

/** The audit reads every row and file of a run: minutes for a long one. Read-only, so repeating it is free. */
export const AUDIT: ActivityOptions = {
  taskQueue: CONTROL_QUEUE,
  startToCloseTimeout: '1 hour',
  retry: A_DAY,
};

/**
 * A step that computes. No schedule-to-start limit: with more runs than devices, steps wait in the queue as long as it
 * takes. What is retried goes on where it was, so attempts are cheap; ten of them outlast a restart of the machine.
 */
export function compute(heartbeatSeconds: number): ActivityOptions {
  return {
    taskQueue: GPU_QUEUE,
    // Longer than any honest stage; a dead worker is told by its silence, not by this.
    startToCloseTimeout: '24 hours',
    // How soon a dead or hung worker is noticed. Beats come three times as often.
    heartbeatTimeout: heartbeatSeconds * 1000,
    // A cancelled step ends at its next piece of work and frees the device; nobody else may start before.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: ATTEMPTS,
  };
}

/**
 * Tasks are played by scripted agents: seconds of work that store nothing, so that repeating them is free. What is wrong
 * with a task is no matter of luck and not retried (its failure says so); a machine that fails is.
 */
export const SANDBOX: ActivityOptions = {
  taskQueue: SANDBOX_QUEUE,
  // Many times what the hardest tasks take on a slow machine.
  startToCloseTimeout: '10 minutes',
  // It beats after each split of a family, at least each second; a dead worker is to be noticed soon.
  heartbeatTimeout: '10 seconds',
  retry: ATTEMPTS,
};
