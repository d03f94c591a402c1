/** Starts the workers of one machine as processes of their own and keeps them alive: `rsi up`, the demo, the tests. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { metricsAddresses } from './metrics-address.ts';
import { orAborted } from './or-aborted.ts';
import { supervise, type Supervised } from './supervisor.ts';
import { buildWorkflowBundle } from './workflow-bundle.ts';

/** The workers in the order of their start, with the limits of their heaps: each needs about a third of it. */
const HEAP_MB = { control: 384, sandbox: 256, gpu: 256 } as const;

export interface AllInOneOptions {
  readonly home: string;
  readonly address: string;
  readonly namespace?: string;
  readonly databaseUrl: string;
  readonly log: (line: string) => void;
  /** For tests: a shorter silence after which a computing activity counts as dead. */
  readonly heartbeatSeconds?: number;
  /** Gives the start up. */
  readonly signal?: AbortSignal | undefined;
  /** Where the workers serve their metrics, whenever one takes work: at the start, and after it was started again. */
  readonly onMetrics?: (addresses: MetricsNote) => void;
}

/** "127.0.0.1:9464" by worker; one that serves none is not in it. */
export type MetricsNote = Readonly<Record<string, string>>;

export interface AllInOne {
  readonly workers: readonly Supervised[];
  readonly metrics: () => MetricsNote;
  /** Each in order, within its grace and force times. */
  stop(): Promise<void>;
}

/** Resolves when all of them take work. */
export async function startAllInOne(options: AllInOneOptions): Promise<AllInOne> {
  const { home, address, namespace = 'default', databaseUrl, log, heartbeatSeconds, signal, onMetrics } = options;
  const bundle = await buildWorkflowBundle(home);
  signal?.throwIfAborted();
  const wanted = await metricsAddresses(Object.keys(HEAP_MB));
  const served = new Map<string, string>();
  const metrics = (): MetricsNote => Object.fromEntries(served);
  const env: NodeJS.ProcessEnv = {
    ...{ RSI_HOME: home, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, DATABASE_URL: databaseUrl },
    RSI_WORKFLOW_BUNDLE: bundle,
    ...(heartbeatSeconds === undefined ? {} : { RSI_HEARTBEAT_SECONDS: String(heartbeatSeconds) }),
  };
  const workers = Object.entries(HEAP_MB).map(([name, heapMb]) =>
    supervise({
      ...{ name, heapMb, log, logFile: join(home, 'logs', `${name}.log`) },
      module: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
      env: () => ({ ...env, RSI_METRICS: wanted?.get(name) ?? 'off' }),
      onReady: ({ metrics: at }) => {
        served.delete(name);
        if (at !== null) served.set(name, at);
        // Kept for its next start: whoever reads it knows this address.
        if (at !== null) wanted?.set(name, at);
        onMetrics?.(metrics());
      },
    }),
  );
  // Computing first: its step is told to end and reports so while the workflows are still served.
  const stop = async (): Promise<void> => {
    for (const worker of workers.toReversed()) await worker.stop();
  };
  try {
    await orAborted(Promise.all(workers.map((worker) => worker.ready)), signal);
  } catch (error) {
    await stop();
    throw error;
  }
  log(`Workers: ${workers.map(({ name }) => name).join(', ')} (logs in ${join(home, 'logs')})`);
  if (served.size > 0) log(`Metrics: ${[...served].map(([name, at]) => `${name} http://${at}/metrics`).join(', ')}`);
  return { workers, metrics, stop };
}
