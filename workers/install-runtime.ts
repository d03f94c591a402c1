/** The SDK's runtime of a worker process: its log, its signals, and the metrics endpoint, without which it works as well. */
import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import { STEP_SECONDS } from '../activities/run-metrics.ts';
import { freeAddress } from './metrics-address.ts';

export interface InstalledRuntime {
  readonly runtime: Runtime;
  /** Where metrics are served; null: nowhere. */
  readonly metrics: string | null;
}

export async function installRuntime(name: string, wanted: string | null): Promise<InstalledRuntime> {
  const base: RuntimeOptions = { logger: lineLogger(name), shutdownSignals: ['SIGINT', 'SIGTERM'] };
  // Found taken between the look and the bind: once more, elsewhere.
  for (let address = wanted, tries = 0; address !== null && tries < 2; tries++) {
    try {
      const runtime = Runtime.install({ ...base, telemetryOptions: { metrics: metricsAt(address) } });
      return { runtime, metrics: address };
    } catch (error) {
      console.error(`${name}: no metrics at ${address}: ${error instanceof Error ? error.message : String(error)}`);
      address = await freeAddress(address);
    }
  }
  return { runtime: Runtime.install(base), metrics: null };
}

function metricsAt(bindAddress: string) {
  return { prometheus: { bindAddress, histogramBucketOverrides: { [STEP_SECONDS.name]: [...STEP_SECONDS.buckets] } } };
}

/** One line an event; of an error its message. */
function lineLogger(name: string): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta, timestampNanos }) => {
    const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
    const error: unknown = meta?.['error'];
    const why = error instanceof Error ? `: ${error.message}` : '';
    console.error(`${time} ${level} ${name} ${message}${why}`);
  });
}
