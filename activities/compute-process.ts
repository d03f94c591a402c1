/**
 * A gpu worker's side of its compute process (compute-child.ts): starts it, hands it one job after another, replaces it
 * when it has crashed, failed or been interrupted (a clean process is the cheapest way to be rid of half-done work). The
 * worker's own thread is never blocked by tensors, so its heart can beat.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Failure } from '../contracts/failures.ts';
import type { ComputeProgress, FromCompute, Job, StoredNote, ToCompute } from './compute-messages.ts';
import type { Storage } from './run-store.ts';

/** Who hears of a job while it is done. */
export interface ComputeListener {
  progress(progress: ComputeProgress): void;
  stored(generation: number, note: StoredNote): void;
}

export interface ComputeProcess {
  /** Resolves to the step's result; rejects with a Failure, or with `ComputeInterrupted` after an abort. */
  run(job: Job, listener: ComputeListener, signal: AbortSignal): Promise<unknown>;
  readonly pid: () => number | null;
  close(): Promise<void>;
}

/** The job ended early because its signal was aborted. */
export class ComputeInterrupted extends Error {
  override readonly name = 'ComputeInterrupted';
}

export interface ComputeOptions {
  readonly storage: Storage;
  readonly log: (line: string) => void;
  /** After an abort, how long the step under way may take to end; then the process is killed. */
  readonly graceMs?: number;
}

const CHILD = fileURLToPath(new URL('compute-child.ts', import.meta.url));
const START_MS = 120_000;

interface Living {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
}

export function openComputeProcess({ storage, log, graceMs = 10_000 }: ComputeOptions): ComputeProcess {
  let living: Living | null = null;
  let closed = false;
  let jobs = 0;

  const start = (): Living => {
    const child = fork(CHILD, [], {
      execArgv: ['--import', import.meta.resolve('tsx')],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ready = untilReady(child, log);
    ready.catch(() => undefined);
    child.once('exit', (code, signal) => {
      if (living?.child === child) living = null;
      if (!closed) log(`compute process ${child.pid} ended (${signal ?? code})`);
    });
    child.on('error', (error) => log(`compute process: ${error.message}`));
    send(child, { kind: 'open', storage });
    return { child, ready };
  };
  const discard = (child: ChildProcess): void => {
    if (living?.child === child) living = null;
    child.kill('SIGKILL');
  };

  return {
    pid: () => living?.child.pid ?? null,
    run: async (job, listener, signal) => {
      if (closed) throw new Failure('compute', 'the worker is shutting down');
      living ??= start();
      const { child, ready } = living;
      await ready;
      jobs += 1;
      return runJob(child, jobs, job, listener, signal, graceMs).catch((error: unknown) => {
        discard(child);
        throw error;
      });
    },
    close: async () => {
      closed = true;
      const child = living?.child;
      if (child === undefined) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      discard(child);
      await gone;
    },
  };
}

function untilReady(child: ChildProcess, log: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (how: string): void => {
      clearTimeout(timer);
      reject(new Failure('compute', `the compute process did not start: ${how}`));
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      refuse(`no answer within ${START_MS / 1000} s`);
    }, START_MS);
    child.once('exit', (code, signal) => refuse(`it ended with ${signal ?? code}`));
    child.once('message', (message: FromCompute) => {
      clearTimeout(timer);
      if (message.kind === 'ready') log(`compute process ${child.pid}: ${message.backend}`);
      resolve();
    });
  });
}

function runJob(
  child: ChildProcess,
  id: number,
  job: Job,
  listener: ComputeListener,
  signal: AbortSignal,
  graceMs: number,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let kill: NodeJS.Timeout | undefined;
    const end = (settle: () => void): void => {
      clearTimeout(kill);
      child.off('message', onMessage).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const interrupted = (): void => end(() => reject(new ComputeInterrupted(`${job.step} was interrupted`)));
    const onMessage = (message: FromCompute): void => {
      if (message.kind === 'ready' || message.id !== id) return;
      if (message.kind === 'progress') listener.progress(message.progress);
      else if (message.kind === 'stored') listener.stored(message.generation, message.note);
      else if (message.kind === 'done') end(() => resolve(message.result));
      else if (message.interrupted || signal.aborted) interrupted();
      else {
        const { boundary, message: text, subject, retryable } = message.failure;
        end(() => reject(new Failure(boundary, text, { retryable, ...(subject === null ? {} : { subject }) })));
      }
    };
    const onExit = (code: number | null, by: NodeJS.Signals | null): void => {
      if (signal.aborted) interrupted();
      else end(() => reject(new Failure('compute', `the compute process ended in ${job.step} (${by ?? code})`)));
    };
    const onAbort = (): void => {
      send(child, { kind: 'abort', id });
      kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
    };
    child.on('message', onMessage).once('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    if (child.exitCode !== null || child.signalCode !== null) return onExit(child.exitCode, child.signalCode);
    send(child, { kind: 'job', id, job });
    if (signal.aborted) onAbort();
  });
}

function send(child: ChildProcess, message: ToCompute): void {
  // A channel that is closed tells of itself by the exit.
  if (child.connected) child.send(message, () => undefined);
}
