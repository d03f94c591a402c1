/**
 * What every stage is given: configuration, storage, terminals, tokenizer, weights, and where to tell progress. No
 * Temporal and no Postgres here: both come later behind the same ports.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Digest } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';
import type { Content, Place, PlayingTime, RunStore, Use } from '../contracts/run-store.ts';
import type { TerminalPool } from '../contracts/sandbox.ts';
import type { Task } from '../contracts/task.ts';
import type { ModelConfig } from '../model/model-config.ts';
import type { Tokenizer } from '../model/tokenizer.ts';
import type { Players } from './players/players.ts';
import type { ProgressEvent } from './progress-event.ts';
import type { WeightCache } from './weight-cache.ts';

export interface LoopContext {
  readonly config: RunConfig;
  readonly model: ModelConfig;
  readonly store: RunStore;
  /** Where scripted agents act. */
  readonly terminals: TerminalPool;
  /** Who plays the policy's episodes. */
  readonly players: Players;
  readonly tokenizer: Tokenizer;
  readonly weights: WeightCache;
  /** Tasks met so far, by id; filled where groups are stored and loaded. */
  readonly tasks: Map<string, Task>;
  /** Active seconds of the run, over all its sessions. */
  readonly elapsed: () => number;
  readonly report: (event: ProgressEvent) => void;
  /** Aborted by Ctrl-C: the loop ends at the next step, with everything finished stored. */
  readonly signal: AbortSignal;
}

export interface Computed<T extends Content> {
  readonly content: T;
  /** Stored files that the content refers to. */
  readonly blobs?: readonly Digest[];
  /** What was read to make it. */
  readonly uses?: readonly Use[];
  /** Where episodes were played for it. */
  readonly played?: PlayingTime;
}

/**
 * Does a piece of work at a place at most once: a stored record is returned as it is, otherwise the work is done and
 * stored whole. Told as a chain of these, a run that was killed repeats its story and finds what it had done.
 */
export async function once<T extends Content>(
  context: LoopContext,
  place: Place,
  compute: () => Promise<Computed<T>>,
): Promise<T> {
  const stored = await context.store.read<T>(place);
  if (stored !== null) {
    context.report({ kind: 'stored', place, content: stored.content, seconds: stored.seconds, replayed: true });
    return stored.content;
  }
  await breathe(context);
  const started = performance.now();
  const { content, blobs = [], uses = [], played } = await compute();
  const seconds = (performance.now() - started) / 1000;
  const record = await context.store.write({
    place,
    content,
    uses,
    blobs,
    seconds,
    elapsed: context.elapsed(),
    ...(played === undefined ? {} : { played }),
  });
  context.report({ kind: 'stored', place, content: record.content, seconds, replayed: false });
  return record.content;
}

/** An edge to something stored earlier. */
export function use(role: string, stored: { readonly digest: Digest }): Use {
  return { role, digest: stored.digest };
}

/** Lets timers, signals and sandbox threads be heard between two long tensor calls; ends the work after Ctrl-C. */
export async function breathe(context: Pick<LoopContext, 'signal'>): Promise<void> {
  await nextTick();
  if (context.signal.aborted) throw new Interrupted();
}

/** The run was asked to stop; nothing is wrong, and the same command goes on. */
export class Interrupted extends Failure {
  constructor() {
    super('compute', 'stopped on request; the same command goes on from here');
  }
}
