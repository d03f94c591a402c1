/** What the pool and its workers say to each other. Batches of both go through `postMessage`. */
import type { FailureRecord } from '../contracts/failures.ts';
import type { ScriptedEpisode, ScriptKind, StepResult } from '../contracts/sandbox.ts';
import type { Task } from '../contracts/task.ts';

export type TerminalRequest =
  | { readonly kind: 'open'; readonly episode: string; readonly task: Task }
  | { readonly kind: 'step'; readonly episode: string; readonly command: string }
  | { readonly kind: 'judge'; readonly episode: string }
  | { readonly kind: 'close'; readonly episode: string }
  | {
      readonly kind: 'play';
      readonly script: ScriptKind;
      readonly tasks: readonly Task[];
      readonly seeds: readonly number[];
    }
  | { readonly kind: 'replay'; readonly tasks: readonly Task[]; readonly commands: readonly (readonly string[])[] };

export type TerminalAnswer = readonly number[] | StepResult | readonly ScriptedEpisode[] | null;

export interface NumberedRequest {
  readonly id: number;
  readonly request: TerminalRequest;
}

export type NumberedReply =
  { readonly id: number; readonly answer: TerminalAnswer } | { readonly id: number; readonly failure: FailureRecord };

/**
 * What a worker is doing, in memory shared with the pool, so that the pool can tell a hung command from a late
 * message however long its own thread was busy; and how long it has been at work.
 * Float64: [start in epoch ms or 0, limit in ms, request id, ms of work that has ended].
 */
export const ACTIVITY_WORDS = 4;
export const STARTED_AT = 0;
export const LIMIT_MS = 1;
export const REQUEST_ID = 2;
export const BUSY_MS = 3;

/** Comparable between threads; `Date` is not the host's while a command runs. */
export const epochNow = (): number => performance.timeOrigin + performance.now();
