/** What an activity finds around itself when no server is there: enough of a context for its heart, log and cancellation. */
import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { noopMetricMeter } from '@temporalio/common';

export interface InActivity {
  /** Details of the beats so far. */
  readonly beats: unknown[];
  run<T>(work: () => Promise<T>): Promise<T>;
  cancel(reason: Error): void;
}

export function activityContext(): InActivity {
  const beats: unknown[] = [];
  const abort = new AbortController();
  const ignore = (): void => undefined;
  const log = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
  const info = { heartbeatTimeoutMs: 10_000, attempt: 1 } as Info;
  const never = new Promise<never>(ignore);
  const beat = (details: unknown): void => void beats.push(details);
  const context = new Context(info, never, abort.signal, beat, undefined, log, noopMetricMeter, {});
  return {
    beats,
    run: (work) => asyncLocalStorage.run(context, work),
    cancel: (reason) => abort.abort(reason),
  };
}
