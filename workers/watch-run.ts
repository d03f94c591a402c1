/**
 * Follows a run from outside: asks the workflow where it is, and the server how far the activity at work has come. Goes
 * on through everything but the end of the run; a worker that is down is said once and waited for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ComputeProgress } from '../activities/compute-messages.ts';
import type { RunProgress } from '../workflows/run-progress.ts';
import type { TrainRunResult } from '../workflows/train-run.ts';
import type { RunHandle } from './launch-run.ts';

export interface Watched {
  /** Null while no worker answers. */
  readonly progress: RunProgress | null;
  /** Of the activity at work; null between two of them. */
  readonly work: ComputeProgress | null;
}

export type RunOutcome =
  | { readonly kind: 'completed'; readonly result: TrainRunResult }
  | { readonly kind: 'failed'; readonly reason: string };

export interface WatchOptions {
  readonly client: Client;
  readonly handle: RunHandle;
  /** What it throws ends the watching too. */
  readonly onChange: (seen: Watched) => void | Promise<void>;
  /** Ends the watching, not the run. */
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

/** Unanswered questions until it is said that nobody answers. */
const SILENCES = 5;

/** Null: the watching was ended. */
export async function watchRun(options: WatchOptions): Promise<RunOutcome | null> {
  const { client, handle, onChange, signal, everyMs = 1_000 } = options;
  let outcome: RunOutcome | null = null;
  const ended = outcomeOf(handle, signal, everyMs).then((found) => void (outcome = found));
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  let silences = 0;
  while (outcome === null && !signal.aborted) {
    // With nobody there to answer, a question lasts.
    const seen = await Promise.race([look(client, handle), aborted]);
    if (seen === undefined) break;
    silences = seen.progress === null ? silences + 1 : 0;
    // One question may fall between two executions.
    if (silences === 0 || silences >= SILENCES) await onChange(seen);
    await Promise.race([ended, aborted, new Promise((resolve) => setTimeout(resolve, everyMs))]);
  }
  if (outcome !== null) await onChange(await look(client, handle));
  return outcome;
}

/** Asks again when the server could not be asked: only the run's own end counts. */
async function outcomeOf(handle: RunHandle, signal: AbortSignal, everyMs: number): Promise<RunOutcome | null> {
  while (!signal.aborted) {
    try {
      return { kind: 'completed', result: await handle.result() };
    } catch (error) {
      const isEnd = error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError;
      if (isEnd) return { kind: 'failed', reason: reasonOf(error) };
      await sleep(everyMs);
    }
  }
  return null;
}

async function look(client: Client, handle: RunHandle): Promise<Watched> {
  const progress = await handle.query<RunProgress>('progress').catch(() => null);
  return { progress, work: progress === null ? null : await workOf(client, progress.workflowId) };
}

/** What the activity at work told with its last heartbeat. */
async function workOf(client: Client, workflowId: string): Promise<ComputeProgress | null> {
  const seen = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => null);
  // A stage is told of before it is started.
  if (seen === null || seen.status.name !== 'RUNNING') return null;
  const { raw } = seen;
  const payload = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0];
  if (payload === undefined || payload === null) return null;
  const note = defaultPayloadConverter.fromPayload<Partial<ComputeProgress> | null>(payload);
  return note === null ? null : { ...CHECK, ...note };
}

/** What the check of tasks, which computes nothing, leaves out of its note. */
const CHECK: ComputeProgress = {
  ...{ generation: 0, stage: '', step: '', what: 'families', done: 0, of: 0, loss: null, records: 0 },
};

function reasonOf(error: unknown): string {
  if (error instanceof WorkflowFailedError) return error.cause?.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** One line for what is seen: "generation 1/4 · s0-self-rewrite · rollout · episodes 32/64 · loss 0.1234". */
export function watchedLine({ progress, work }: Watched): string {
  if (progress === null) return 'no worker answers; waiting for one';
  const { status, pausedBecause, generation, generations, stage } = progress;
  const parts = [`generation ${generation}/${generations}`, stage];
  if (work !== null && work.of > 0) parts.push(work.step, `${work.what} ${work.done}/${work.of}`);
  if (work !== null && work.loss !== null) parts.push(`loss ${work.loss.toFixed(4)}`);
  if (status !== 'running') parts.unshift(pausedBecause === null ? status : `${status}: ${pausedBecause}`);
  return parts.filter((part) => part !== '').join(' · ');
}
