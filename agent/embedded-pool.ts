/**
 * The embedded TerminalPool: worker threads full of in-memory terminals. An episode lives in one worker from open to
 * close; which one depends on the order of opening alone, and results do not depend on it at all. Whole scripted
 * episodes go out in chunks far ahead of their answers, so workers stay busy while this thread computes.
 */
import { openBusyClock } from '../contracts/busy-clock.ts';
import { asFailure, Failure } from '../contracts/failures.ts';
import type { ScriptedEpisode, StepResult, TerminalPool } from '../contracts/sandbox.ts';
import type { Task } from '../contracts/task.ts';
import { createTerminalHost } from './terminal-host.ts';
import type { TerminalAnswer, TerminalRequest } from './terminal-messages.ts';
import { createWorkerSlot, type WorkerSlot } from './worker-slot.ts';

export interface EmbeddedPoolOptions {
  /** Threads; 0 runs terminals in this one (tests: a hung command then hangs the caller). */
  readonly workers: number;
  /** Time beyond a command's own limit before its worker is ended; default 2 s. */
  readonly graceMs?: number;
  /** Episodes per chunk of `play` and `replay`; default 32. */
  readonly chunkSize?: number;
  /** The workers' module; tests put a faulty one here. */
  readonly entry?: URL;
}

/** Requests posted to a worker and unanswered; more wait in this thread. */
const MAX_IN_FLIGHT = 512;

/** Chunks of one call ahead at each worker: some thousand episodes, seconds of work. */
const CHUNKS_AHEAD = 128;

export function openEmbeddedPool(options: EmbeddedPoolOptions): TerminalPool {
  const { workers, graceMs = 2000, chunkSize = 32, entry } = options;
  if (!Number.isInteger(workers) || workers < 0 || !Number.isInteger(chunkSize) || chunkSize < 1) {
    const message = `the pool needs workers >= 0 and chunkSize >= 1, whole: got ${workers} and ${chunkSize}`;
    throw new Failure('config', message, { subject: 'workers' });
  }
  const slots =
    workers === 0
      ? [createInlineSlot()]
      : Array.from({ length: workers }, () =>
          createWorkerSlot({ graceMs, maxInFlight: MAX_IN_FLIGHT, ...(entry && { entry }) }),
        );
  const homes = new Map<string, { readonly slot: WorkerSlot; readonly losses: number }>();
  let openings = 0;

  const send = async (episode: string, request: TerminalRequest): Promise<TerminalAnswer> => {
    const home = homes.get(episode);
    if (home === undefined) {
      throw new Failure('sandbox', `episode ${episode} is not open: open it first`, { subject: episode });
    }
    if (home.slot.losses() !== home.losses) {
      throw new Failure('sandbox', `episode ${episode} was lost with its worker: open it again`, { subject: episode });
    }
    return home.slot.send(request);
  };

  const inChunks = (
    count: number,
    request: (from: number, to: number) => TerminalRequest,
  ): Promise<ScriptedEpisode[]> => runChunks(slots, count, chunkSize, request);

  return {
    async open(episode, task) {
      if (homes.has(episode)) {
        throw new Failure('sandbox', `episode ${episode} is open already: close it first`, { subject: episode });
      }
      const slot = slots[openings++ % slots.length] as WorkerSlot;
      homes.set(episode, { slot, losses: slot.losses() });
      try {
        return (await send(episode, { kind: 'open', episode, task })) as readonly number[];
      } catch (thrown) {
        homes.delete(episode);
        throw thrown;
      }
    },
    async step(episode, command) {
      return (await send(episode, { kind: 'step', episode, command })) as StepResult;
    },
    async judge(episode) {
      return (await send(episode, { kind: 'judge', episode })) as readonly number[];
    },
    async close(episode) {
      const home = homes.get(episode);
      homes.delete(episode);
      // A lost episode has nothing left to close, and a worker lost meanwhile closed it.
      if (home === undefined || home.slot.losses() !== home.losses) return;
      await home.slot.send({ kind: 'close', episode }).catch(() => null);
    },
    async play(script, tasks, seeds) {
      requireSame('seed', tasks, seeds);
      return inChunks(tasks.length, (from, to) => ({
        ...{ kind: 'play', script, tasks: tasks.slice(from, to), seeds: seeds.slice(from, to) },
      }));
    },
    async replay(tasks, commands) {
      requireSame('list of commands', tasks, commands);
      return inChunks(tasks.length, (from, to) => ({
        ...{ kind: 'replay', tasks: tasks.slice(from, to), commands: commands.slice(from, to) },
      }));
    },
    takeBusySeconds: () => slots.reduce((sum, slot) => sum + slot.takeBusySeconds(), 0),
    async dispose() {
      homes.clear();
      await Promise.all(slots.map((slot) => slot.dispose()));
    },
  };
}

function requireSame(what: string, tasks: readonly Task[], others: readonly unknown[]): void {
  if (tasks.length === others.length) return;
  throw new Failure('sandbox', `${tasks.length} tasks need one ${what} each: got ${others.length}`, {
    retryable: false,
  });
}

/** Lanes keep every worker's queue full; a chunk that failed is sent once more, to whatever thread is there then. */
async function runChunks(
  slots: readonly WorkerSlot[],
  count: number,
  chunkSize: number,
  request: (from: number, to: number) => TerminalRequest,
): Promise<ScriptedEpisode[]> {
  const results = new Array<ScriptedEpisode>(count);
  let next = 0;
  let failure: Failure | null = null;

  const runChunk = async (slot: WorkerSlot, from: number): Promise<void> => {
    const chunk = request(from, Math.min(from + chunkSize, count));
    const answer = await slot.send(chunk).catch(() => slot.send(chunk));
    for (const [index, episode] of (answer as readonly ScriptedEpisode[]).entries()) results[from + index] = episode;
  };
  const lane = async (slot: WorkerSlot): Promise<void> => {
    while (next < count && failure === null) {
      const from = next;
      next += chunkSize;
      try {
        await runChunk(slot, from);
      } catch (thrown) {
        failure ??= asFailure(thrown, 'sandbox');
      }
    }
  };

  const lanes = Array.from({ length: CHUNKS_AHEAD }, () => slots.map(lane)).flat();
  await Promise.all(lanes);
  // Assigned inside the lanes, which the compiler does not follow.
  const failed = failure as Failure | null;
  if (failed !== null) throw failed;
  return results;
}

/** The same face without a thread. */
function createInlineSlot(): WorkerSlot {
  const busy = openBusyClock();
  const host = createTerminalHost((limitMs) => (limitMs === null ? busy.end() : busy.begin()));
  return {
    losses: () => 0,
    takeBusySeconds: () => busy.take(),
    send: async (request) => {
      try {
        return await host.handle(request);
      } catch (thrown) {
        throw asFailure(thrown, 'sandbox');
      }
    },
    dispose: async () => undefined,
  };
}
