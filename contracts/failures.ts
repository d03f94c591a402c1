/**
 * The one vocabulary of failures, by the boundary that was crossed. Every layer throws `Failure`, nothing else on
 * purpose; the durable loop maps it to a retry or an end, the CLI prints `message` alone.
 * A failed episode is data (see trajectory.ts, `failure`); a failed machine is a retry, never a reward of 0.
 */

export type FailureBoundary = 'config' | 'task' | 'sandbox' | 'model' | 'storage' | 'lineage' | 'compute';

/** JSON-safe form, stored with episodes that have no verdict. */
export interface FailureRecord {
  readonly boundary: FailureBoundary;
  readonly message: string;
  /** What the failure is about: a configuration key, a file, a task or trajectory id. */
  readonly subject: string | null;
  readonly retryable: boolean;
}

/** Which boundaries fail for reasons that another attempt may not meet again. */
const RETRYABLE: Readonly<Record<FailureBoundary, boolean>> = {
  config: false,
  task: false,
  sandbox: true,
  model: false,
  storage: true,
  lineage: false,
  compute: true,
};

export class Failure extends Error {
  readonly boundary: FailureBoundary;
  readonly subject: string | null;
  readonly retryable: boolean;

  /** `message` says what, where and what to do, in one line. */
  constructor(
    boundary: FailureBoundary,
    message: string,
    options: { subject?: string; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.boundary = boundary;
    this.subject = options.subject ?? null;
    this.retryable = options.retryable ?? RETRYABLE[boundary];
  }

  toRecord(): FailureRecord {
    return { boundary: this.boundary, message: this.message, subject: this.subject, retryable: this.retryable };
  }
}

/** Wraps whatever was thrown so that it carries the boundary it crossed; a Failure passes unchanged. */
export function asFailure(thrown: unknown, boundary: FailureBoundary, subject?: string): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure(boundary, message, { cause: thrown, ...(subject === undefined ? {} : { subject }) });
}
