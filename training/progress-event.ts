/** What the loop tells while it runs; the terminal view, the log and later Temporal's current details listen. */
import type { Place } from '../contracts/run-store.ts';

export type ProgressEvent =
  /** A record was stored, or found stored when a run goes on (`replayed`). */
  | {
      readonly kind: 'stored';
      readonly place: Place;
      readonly content: unknown;
      readonly seconds: number;
      readonly replayed: boolean;
    }
  /** A stage begins. */
  | { readonly kind: 'stage'; readonly generation: number; readonly stageIndex: number; readonly stage: string }
  /** Work within a step: episodes finished, optimizer steps made. */
  | {
      readonly kind: 'work';
      readonly what: 'episodes' | 'steps' | 'demonstrations';
      readonly done: number;
      readonly of: number;
      readonly loss: number | null;
    }
  | { readonly kind: 'note'; readonly text: string };
