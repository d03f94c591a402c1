/**
 * Keeps a worker process alive: started with an IPC channel (it ends when we are gone), started again with growing pauses
 * when it ends unasked, stopped by SIGTERM and, should it not go, by SIGKILL. Only processes started here are touched.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ReadyMessage } from './run-worker.ts';

export interface SupervisedOptions {
  readonly name: string;
  readonly module: string;
  /** Asked at each start. */
  readonly env: () => NodeJS.ProcessEnv;
  /** Limit of its JavaScript heap: what is beyond it is a leak, and a restart the cure. */
  readonly heapMb: number;
  /** Whenever it takes work. */
  readonly onReady?: (message: ReadyMessage) => void;
  readonly logFile: string;
  readonly log: (line: string) => void;
}

export interface Supervised {
  readonly name: string;
  readonly pid: () => number | null;
  /** Settles when it first takes work, or cannot. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Who lived so long has not crashed at once: the pauses start over. */
const HEALTHY_MS = 60_000;
/** Beyond the worker's own force time (run-worker.ts). */
const STOP_MS = 25_000;
/** A worker that never got ready ends the start after so many attempts. */
const FIRST_ATTEMPTS = 3;

export function supervise(options: SupervisedOptions): Supervised {
  const { name, module, env, heapMb, onReady, logFile, log } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const output = createWriteStream(logFile, { flags: 'a' });
  // A full disk costs the log, not the workers.
  output.on('error', (error) => log(`the log of worker ${name} is not written any more: ${error.message}`));
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | null = null;
  let pause = FIRST_PAUSE_MS;
  let stopping = false;
  let failures = 0;
  let settled = false;
  let settle = { done: (): void => undefined, refuse: (_: Error): void => undefined };
  const ready = new Promise<void>((resolve, reject) => {
    settle = { done: resolve, refuse: reject };
  });
  ready.catch(() => undefined);

  const start = (): void => {
    const began = performance.now();
    let last = '';
    const own = fork(module, [], {
      env: { ...process.env, ...env() },
      execArgv: ['--import', import.meta.resolve('tsx'), `--max-old-space-size=${heapMb}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C reaches us alone, and we stop it in order.
      detached: true,
    });
    child = own;
    for (const stream of [own.stdout, own.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output.write(chunk);
        last = chunk.toString().trim().split('\n').at(-1) ?? last;
      });
    }
    own.on('error', (error) => log(`worker ${name}: ${error.message}`));
    own.on('message', (message: ReadyMessage) => {
      settled = true;
      onReady?.(message);
      settle.done();
    });
    own.once('exit', (code, signal) => {
      if (child === own) child = null;
      if (stopping) return;
      failures += 1;
      if (!settled && failures >= FIRST_ATTEMPTS) {
        settled = stopping = true;
        settle.refuse(new Error(`worker ${name} does not start (${signal ?? code}): ${last}; its log is ${logFile}`));
        return;
      }
      if (performance.now() - began > HEALTHY_MS) pause = FIRST_PAUSE_MS;
      log(`worker ${name} ended (${signal ?? code}); starting it again in ${pause / 1000} s`);
      timer = setTimeout(start, pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    });
  };
  start();
  return {
    name,
    ready,
    pid: () => child?.pid ?? null,
    stop: async () => {
      stopping = true;
      if (timer !== null) clearTimeout(timer);
      await endProcess(child);
      output.end();
    },
  };
}

async function endProcess(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(kill);
}
