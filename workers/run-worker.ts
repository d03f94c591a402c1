/**
 * The life of a worker process: connect, run until told to stop, close what it opened, exit. SIGINT, SIGTERM and a parent
 * that is gone stop it; activities then have a grace time, and a force time ends the wait whatever they do.
 */
import type { MetricMeter } from '@temporalio/common';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { asFailure } from '../contracts/failures.ts';
import { installRuntime } from './install-runtime.ts';
import type { WorkerSettings } from './settings.ts';
import { openTracing, type TracedService } from './tracing.ts';

export interface WorkerPlan {
  readonly name: TracedService;
  /** Called once there is a runtime, whose meter takes the metrics of our own. */
  readonly options: (meter: MetricMeter) => Omit<WorkerOptions, 'connection' | 'namespace'>;
  readonly close?: () => Promise<void>;
}

/** To whoever started the worker: it takes work now, and serves its metrics there. */
export interface ReadyMessage {
  readonly kind: 'ready';
  readonly metrics: string | null;
}

/** Steps that compute end at their next piece of work once cancelled: the grace passes, then they have the rest. */
const GRACE = '1 second';
const FORCE = '20 seconds';
const CONNECT_MS = 30_000;

export async function runWorker(settings: WorkerSettings, { name, options, close }: WorkerPlan): Promise<void> {
  const { runtime, metrics } = await installRuntime(name, settings.metrics);
  const tracing = await openTracing(name);
  const connection = await connect(settings.address);
  const worker = await Worker.create({
    ...options(runtime.metricMeter),
    ...{ connection, namespace: settings.namespace, shutdownGraceTime: GRACE, shutdownForceTime: FORCE },
    plugins: [tracing.plugin],
  });
  // Whoever started us is gone (killed): without it nobody would restart or stop us.
  process.once('disconnect', () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  });
  // Gone while we were starting: nobody told us, and nobody will.
  if (process.send !== undefined && !process.connected) throw new Error('whoever started it is gone');
  process.send?.({ kind: 'ready', metrics } satisfies ReadyMessage);
  try {
    await worker.run();
  } finally {
    await close?.();
    await connection.close();
    await tracing.close();
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
