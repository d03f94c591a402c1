/** Starts the workers of one machine as processes of their own and keeps them alive: `rsi up`, the demo, the tests. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise, type Supervised } from './supervisor.ts';
import { buildWorkflowBundle } from './workflow-bundle.ts';

export interface AllInOneOptions {
  readonly home: string;
  readonly address: string;
  readonly namespace?: string;
  readonly databaseUrl: string;
  readonly log: (line: string) => void;
  /** For tests: a shorter silence after which a computing activity counts as dead. */
  readonly heartbeatSeconds?: number;
}

export interface AllInOne {
  readonly workers: readonly Supervised[];
  /** Each in order, within its grace and force times. */
  stop(): Promise<void>;
}

/** Resolves when all of them take work. */
export async function startAllInOne(options: AllInOneOptions): Promise<AllInOne> {
  const { home, address, namespace = 'default', databaseUrl, log, heartbeatSeconds } = options;
  const bundle = await buildWorkflowBundle(home);
  const env: NodeJS.ProcessEnv = {
    ...{ RSI_HOME: home, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, DATABASE_URL: databaseUrl },
    RSI_WORKFLOW_BUNDLE: bundle,
    ...(heartbeatSeconds === undefined ? {} : { RSI_HEARTBEAT_SECONDS: String(heartbeatSeconds) }),
  };
  const workers = ['control', 'gpu'].map((name) =>
    supervise({
      ...{ name, env, log, logFile: join(home, 'logs', `${name}.log`) },
      module: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
    }),
  );
  // Computing first: its step is told to end and reports so while the workflows are still served.
  const stop = async (): Promise<void> => {
    for (const worker of workers.toReversed()) await worker.stop();
  };
  try {
    await Promise.all(workers.map(({ ready }) => ready));
  } catch (error) {
    await stop();
    throw error;
  }
  log(`Workers: ${workers.map(({ name }) => name).join(', ')} (logs in ${join(home, 'logs')})`);
  return { workers, stop };
}
