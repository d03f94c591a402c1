/** What a gpu worker and its compute process say to each other over the channel between them. */
import type { FailureRecord } from '../contracts/failures.ts';
import type { ComputeSteps } from './compute-steps.ts';
import type { Budget, RunRef } from './run-ref.ts';
import type { Storage } from './run-store.ts';

export type StepName = keyof ComputeSteps;

/** A step of the recursion, to be done for a run. */
export interface Job {
  readonly run: RunRef;
  readonly step: StepName;
  readonly args: readonly unknown[];
  /** Number of the attempt: lower ones may not write any more. */
  readonly lease: number;
  readonly budget: Budget;
}

export type ToCompute =
  | { readonly kind: 'open'; readonly storage: Storage }
  | { readonly kind: 'job'; readonly id: number; readonly job: Job }
  | { readonly kind: 'abort'; readonly id: number };

/** Where the work is: small enough for a heartbeat. */
export interface ComputeProgress {
  readonly generation: number;
  readonly stage: string;
  /** Of the record stored last. */
  readonly step: string;
  readonly what: string;
  readonly done: number;
  readonly of: number;
  readonly loss: number | null;
  /** Records stored or found stored so far. */
  readonly records: number;
}

/** A record that was made and stored just now: for metrics and traces; heartbeats stay as small as they are. */
export interface StoredNote {
  readonly step: string;
  readonly seconds: number;
  /** Of a group of episodes; null for other records. */
  readonly group: {
    readonly episodes: number;
    readonly tokens: number;
    readonly verdicts: number;
    readonly strict: number;
  } | null;
}

export type FromCompute =
  | { readonly kind: 'ready'; readonly backend: string }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: ComputeProgress }
  | { readonly kind: 'stored'; readonly id: number; readonly generation: number; readonly note: StoredNote }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: FailureRecord; readonly interrupted: boolean };
