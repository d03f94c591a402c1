/**
 * One place in the pool: a worker thread with its unanswered requests. Requests made in one tick travel together. A
 * thread that dies, or hangs in a command beyond its limit, is ended; whatever waited for it is rejected, and the next
 * request starts a fresh thread.
 */
import { Worker } from 'node:worker_threads';
import { Failure } from '../contracts/failures.ts';
import {
  ACTIVITY_WORDS,
  BUSY_MS,
  epochNow,
  LIMIT_MS,
  REQUEST_ID,
  STARTED_AT,
  type NumberedReply,
  type NumberedRequest,
  type TerminalAnswer,
  type TerminalRequest,
} from './terminal-messages.ts';

export interface WorkerSlot {
  /** Grows with every thread lost; episodes of an older one are gone. */
  readonly losses: () => number;
  /** Seconds of work since it was last asked; what a thread was at when it was lost is lost. */
  takeBusySeconds(): number;
  send(request: TerminalRequest): Promise<TerminalAnswer>;
  dispose(): Promise<void>;
}

export interface SlotOptions {
  /** Time beyond a command's own limit before the thread is ended. */
  readonly graceMs: number;
  /** Requests posted and unanswered; further ones wait here. */
  readonly maxInFlight: number;
  /** The thread's module; tests put a faulty one here. */
  readonly entry?: URL;
}

interface Call extends NumberedRequest {
  readonly resolve: (answer: TerminalAnswer) => void;
  readonly reject: (failure: Failure) => void;
}

const WATCH_MS = 200;
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 };

/** The loader of the main thread's --import does not reach a worker in Node 20, so each registers it itself. */
const bootstrap = (entry: URL): string => `import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))})
  .then(({ register }) => {
    register();
    return import(${JSON.stringify(entry.href)});
  })`;

export function createWorkerSlot(options: SlotOptions): WorkerSlot {
  const { graceMs, maxInFlight, entry = new URL('./terminal-worker.ts', import.meta.url) } = options;
  const activity = new Float64Array(new SharedArrayBuffer(ACTIVITY_WORDS * Float64Array.BYTES_PER_ELEMENT));
  const inFlight = new Map<number, Call>();
  const endings = new Set<Promise<unknown>>();
  let waiting: Call[] = [];
  let worker: Worker | null = null;
  let watchdog: NodeJS.Timeout | null = null;
  let losses = 0;
  /** Told already, of the thread that is there now; and untold, of those before it. */
  let toldMs = 0;
  let formerMs = 0;
  let lastId = 0;
  let isFlushing = false;
  let isDisposed = false;

  function start(): Worker {
    formerMs += untoldMs();
    toldMs = 0;
    activity.fill(0);
    const started = new Worker(bootstrap(entry), {
      ...{ eval: true, execArgv: [], workerData: activity, resourceLimits: MEMORY, name: 'terminals' },
    });
    started.on('message', (replies: readonly NumberedReply[]) => {
      if (started === worker) settle(replies);
    });
    started.on('error', (error) => {
      if (started === worker) lose(`its worker died: ${error instanceof Error ? error.message : String(error)}`);
    });
    started.on('exit', (code) => {
      if (started === worker) lose(`its worker ended with code ${code}`);
    });
    return started;
  }

  function untoldMs(): number {
    return (activity[BUSY_MS] ?? 0) - toldMs;
  }

  function settle(replies: readonly NumberedReply[]): void {
    for (const reply of replies) {
      const call = inFlight.get(reply.id);
      if (call === undefined) continue;
      inFlight.delete(reply.id);
      if ('answer' in reply) call.resolve(reply.answer);
      else call.reject(rebuilt(reply.failure));
    }
    flush();
    rest();
  }

  /** An idle thread keeps no process alive. */
  function rest(): void {
    if (inFlight.size > 0) return;
    worker?.unref();
    if (watchdog !== null) clearInterval(watchdog);
    watchdog = null;
  }

  function flush(): void {
    isFlushing = false;
    const batch = waiting.slice(0, maxInFlight - inFlight.size);
    if (batch.length === 0 || isDisposed) return;
    waiting = waiting.slice(batch.length);
    worker ??= start();
    worker.ref();
    watchdog ??= setInterval(watch, WATCH_MS);
    for (const call of batch) inFlight.set(call.id, call);
    worker.postMessage(batch.map(({ id, request }): NumberedRequest => ({ id, request })));
  }

  function watch(): void {
    const [startedAt = 0, limitMs = 0, id = 0] = [activity[STARTED_AT], activity[LIMIT_MS], activity[REQUEST_ID]];
    if (startedAt === 0 || epochNow() - startedAt <= limitMs + graceMs) return;
    const hung = inFlight.get(id);
    if (hung !== undefined) {
      inFlight.delete(id);
      const about = subjectOf(hung.request);
      const message = `${about}: a command outlived its limit of ${limitMs / 1000} s; its worker was ended`;
      // The same command would hang again.
      hung.reject(new Failure('sandbox', message, { subject: about, retryable: false }));
    }
    lose('its worker was ended because of a hung command of another episode');
  }

  /** Rejects what the thread was to answer or held the terminal of; whole scripted episodes may go to the next one. */
  function lose(reason: string): void {
    const lost = worker;
    worker = null;
    losses += 1;
    const isBound = ({ request }: Call): boolean => 'episode' in request;
    const calls = [...inFlight.values(), ...waiting.filter(isBound)];
    waiting = waiting.filter((call) => !isBound(call));
    inFlight.clear();
    if (lost !== null) end(lost);
    for (const call of calls) {
      const about = subjectOf(call.request);
      call.reject(new Failure('sandbox', `${about}: ${reason}`, { subject: about }));
    }
    rest();
    flush();
  }

  function end(lost: Worker): void {
    const ending = lost.terminate().finally(() => endings.delete(ending));
    endings.add(ending);
  }

  return {
    losses: () => losses,
    takeBusySeconds() {
      const taken = formerMs + untoldMs();
      formerMs = 0;
      toldMs = activity[BUSY_MS] ?? 0;
      return taken / 1000;
    },
    send(request) {
      if (isDisposed) return Promise.reject(disposed(request));
      return new Promise((resolve, reject) => {
        waiting.push({ id: ++lastId, request, resolve, reject });
        if (isFlushing) return;
        isFlushing = true;
        queueMicrotask(flush);
      });
    },
    async dispose() {
      isDisposed = true;
      const calls = [...inFlight.values(), ...waiting];
      inFlight.clear();
      waiting = [];
      rest();
      if (worker !== null) end(worker);
      worker = null;
      for (const call of calls) call.reject(disposed(call.request));
      await Promise.all(endings);
    },
  };
}

function subjectOf(request: TerminalRequest): string {
  if ('episode' in request) return `episode ${request.episode}`;
  return `${request.kind} of ${request.tasks.length} episodes`;
}

function disposed(request: TerminalRequest): Failure {
  return new Failure('sandbox', `${subjectOf(request)}: the pool is disposed`, { subject: subjectOf(request) });
}

function rebuilt(record: Failure | ReturnType<Failure['toRecord']>): Failure {
  const { boundary, message, subject, retryable } = record;
  return new Failure(boundary, message, { retryable, ...(subject === null ? {} : { subject }) });
}
