/**
 * The life of a worker process: connect, run until told to stop, close what it opened, exit. SIGINT, SIGTERM and a parent
 * that is gone stop it; activities then have a grace time, and a force time ends the wait whatever they do.
 */
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { asFailure } from '../contracts/failures.ts';
import type { WorkerSettings } from './settings.ts';

export interface WorkerPlan {
  readonly name: string;
  readonly options: Omit<WorkerOptions, 'connection' | 'namespace'>;
  readonly close?: () => Promise<void>;
}

/** Steps that compute end at their next piece of work once cancelled: the grace passes, then they have the rest. */
const GRACE = '1 second';
const FORCE = '20 seconds';
const CONNECT_MS = 30_000;

export async function runWorker(settings: WorkerSettings, { name, options, close }: WorkerPlan): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta, timestampNanos }) => {
      const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
      const error: unknown = meta?.['error'];
      const why = error instanceof Error ? `: ${error.message}` : '';
      console.error(`${time} ${level} ${name} ${message}${why}`);
    }),
    telemetryOptions: metricsOptions(),
    shutdownSignals: ['SIGINT', 'SIGTERM'],
  });
  const connection = await connect(settings.address);
  const worker = await Worker.create({
    ...options,
    ...{ connection, namespace: settings.namespace, shutdownGraceTime: GRACE, shutdownForceTime: FORCE },
  });
  // Whoever started us is gone (killed): without it nobody would restart or stop us.
  process.once('disconnect', () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  });
  process.send?.({ kind: 'ready' });
  try {
    await worker.run();
  } finally {
    await close?.();
    await connection.close();
  }
}

/** Ends the process as its work ended; a worker that cannot go on says why in one line. */
export async function main(work: () => Promise<void>): Promise<never> {
  try {
    await work();
    process.exit(0);
  } catch (error) {
    console.error(`rsi worker: ${asFailure(error, 'compute').message}`);
    process.exit(1);
  }
}

async function connect(address: string): Promise<NativeConnection> {
  const end = performance.now() + CONNECT_MS;
  for (;;) {
    try {
      return await NativeConnection.connect({ address });
    } catch (error) {
      if (performance.now() > end) throw new Error(`Temporal at ${address} does not answer`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** RSI_METRICS=127.0.0.1:9464 serves the worker's metrics for Prometheus. */
function metricsOptions() {
  const bindAddress = process.env['RSI_METRICS'];
  return bindAddress ? { metrics: { prometheus: { bindAddress } } } : {};
}
