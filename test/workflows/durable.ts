/**
 * Everything a durable run needs, started by the test and ended after it: Temporal, Postgres, the workers as processes of
 * their own. Where no Temporal server can be had, the tests say so and are skipped.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { RunConfig, RunConfigInput } from '../../contracts/config/run-config.ts';
import { openPostgres } from '../../infra/postgres.ts';
import { provisionTemporal } from '../../infra/temporal.ts';
import { openPool } from '../../lineage/postgres/connection.ts';
import { startAllInOne, type AllInOne } from '../../workers/all-in-one.ts';
import { openTracing } from '../../workers/tracing.ts';
import { launchRun, type RunHandle } from '../../workers/launch-run.ts';
import type { RunProgress } from '../../workflows/run-progress.ts';
import type { TrainRunInput } from '../../workflows/train-run.ts';
import { tinyConfig } from '../training/tiny-run.ts';

export interface Durable {
  readonly client: Client;
  readonly workers: AllInOne;
  /** Of the Web UI; null where the server was given. */
  readonly uiUrl: string | null;
  readonly databaseUrl: string;
  readonly blobs: string;
  readonly log: readonly string[];
  readonly address: string;
  readonly serverPid: () => number;
  launch(workflowId: string, input?: unknown): Promise<RunHandle>;
  /** First row of a query. */
  row<T extends object>(sql: string, values: readonly unknown[]): Promise<T>;
  /** The database alone goes away, and comes back at its address. */
  stopDatabase(): Promise<void>;
  startDatabase(): Promise<void>;
  /** As when the machine goes down: workers end in mid stage, the server is killed, the database stops. */
  halt(): Promise<void>;
  close(): Promise<void>;
}

/** A folder that is gone when the test file ends. */
export function durableHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'rsi-durable-'));
  // The database server is another user's: below a closed folder its data would have to lie elsewhere and stay there.
  chmodSync(home, 0o755);
  homes.push(home);
  return home;
}

const homes: string[] = [];
process.once('exit', () => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** Null, and a loud line, where no server can be had. */
export async function openDurable(home = durableHome()): Promise<Durable | null> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) await closer();
  };
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const serverPid = (): number =>
    (JSON.parse(readFileSync(join(home, 'temporal.json'), 'utf8')) as { pid: number }).pid;
  try {
    const temporal = await provisionTemporal({ address: process.env['TEMPORAL_ADDRESS'], home, log });
    closers.push(() => temporal.stop());
    let postgres = await openPostgres({ home, log });
    closers.push(() => postgres.stop());
    const { address } = temporal;
    const workers = await startAllInOne({ home, address, databaseUrl: postgres.url, log, heartbeatSeconds: 3 });
    closers.push(() => workers.stop());
    const connection = await Connection.connect({ address });
    closers.push(() => connection.close());
    const tracing = await openTracing('cli');
    closers.push(() => tracing.close());
    const client = new Client({ connection, plugins: [tracing.plugin] });
    const pool = openPool(postgres.url, { max: 1 });
    closers.push(() => pool.end());
    return {
      uiUrl: temporal.uiUrl,
      ...{ client, workers, address, databaseUrl: postgres.url, blobs: join(home, 'blobs'), log: lines, close },
      serverPid,
      stopDatabase: () => postgres.stop(),
      startDatabase: async () => {
        const { url } = postgres;
        postgres = await openPostgres({ home, log });
        if (postgres.url !== url) throw new Error('the database came back at another address');
      },
      halt: async () => {
        process.kill(serverPid(), 'SIGKILL');
        await close();
      },
      launch: (workflowId, input) =>
        launchRun({ client, workflowId, ...(input === undefined ? {} : { input: input as TrainRunInput }) }),
      row: async <T extends object>(sql: string, values: readonly unknown[]) =>
        (await pool.query<T>(sql, [...values])).rows[0] as T,
    };
  } catch (error) {
    await close();
    if (!(error instanceof Error) || !error.message.startsWith('Temporal: there is no server')) throw error;
    console.error(`SKIPPED: durable runs are not tested: ${error.message}`);
    return null;
  }
}

/** Two chunks of demonstrations, every kind of stage; about 20 seconds. */
export function durableConfig(changes: RunConfigInput = {}): RunConfig {
  return tinyConfig({
    preset: 'smoke',
    // Enough for two sub-goals of any kind: a run with tasks that nobody can solve is refused.
    tasks: { turns: 5, context: 160 },
    warmStart: { demonstrations: 1100, rewriteDemonstrations: 120 },
    selfRewrite: { episodes: 16, maxParents: 16, rewritesPerParent: 1 },
    policyRefine: { iterations: 2, episodes: 16 },
    ...changes,
  });
}

/** Asks the run until it is where it should be. */
export async function untilProgress(
  handle: RunHandle,
  holds: (progress: RunProgress) => boolean,
  seconds = 90,
): Promise<RunProgress> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const progress = await handle.query<RunProgress>('progress').catch(() => null);
    if (progress !== null && holds(progress)) return progress;
    if (performance.now() > end) throw new Error(`still ${JSON.stringify(progress)} after ${seconds} s`);
    await sleep(100);
  }
}

/** Processes that a process has started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')));
  return lists
    .flatMap((list) => list.trim().split(' '))
    .filter((text) => text !== '')
    .map(Number);
}

export async function waitFor<T>(what: string, ask: () => Promise<T | null>, seconds = 60): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(100);
  }
}
