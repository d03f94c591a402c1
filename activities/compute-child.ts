/**
 * The compute process of a gpu worker: holds tensor library, weights and sandboxes, does one job at a time. Ends when its
 * parent is gone; whatever it had not stored by then is done again by the next one.
 */
import type { GroupRef } from '../contracts/checkpoint.ts';
import { asFailure } from '../contracts/failures.ts';
import { openBackend } from '../model/backend.ts';
import { Interrupted, type LoopContext } from '../training/context.ts';
import type { ProgressEvent } from '../training/progress-event.ts';
import type { ComputeProgress, FromCompute, Job, StepName, StoredNote, ToCompute } from './compute-messages.ts';
import { openComputeSession, type ComputeSession } from './compute-session.ts';
import { computeSteps } from './compute-steps.ts';

/** The channel has checked no types: what workflows pass is what the steps take. */
const STEPS = computeSteps as Readonly<Record<StepName, Step>>;
type Step = (context: LoopContext, ...args: readonly unknown[]) => Promise<unknown>;

/** Progress within a step is told this often at most. */
const TELL_MS = 200;

let session: ComputeSession | null = null;
let running: { readonly id: number; readonly abort: AbortController } | null = null;

process.on('message', (message: ToCompute) => {
  if (message.kind === 'open') void start(message);
  else if (message.kind === 'job') void work(message.id, message.job);
  else if (running?.id === message.id) running.abort.abort();
});
process.on('disconnect', () => process.exit());
// A signal to the whole process group (Ctrl-C) is the parent's to answer: it says abort, or goes.
process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);

async function start({ storage }: Extract<ToCompute, { kind: 'open' }>): Promise<void> {
  const backend = await openBackend();
  session = openComputeSession(storage, backend);
  say({ kind: 'ready', backend: `${backend.name}: ${backend.describe.library} ${backend.describe.version}` });
}

async function work(id: number, job: Job): Promise<void> {
  const abort = new AbortController();
  running = { id, abort };
  try {
    if (session === null) throw new Error('a job came before the session was open');
    const step = STEPS[job.step];
    const report = teller(id, job);
    const result = await session.with(job, { report, signal: abort.signal }, (context) => step(context, ...job.args));
    running = null;
    say({ kind: 'done', id, result });
  } catch (error) {
    running = null;
    const failure = asFailure(error, 'compute', job.step);
    const interrupted = error instanceof Interrupted;
    // Whether the worker hears of it depends on what it was told meanwhile; a refused write is to be found in its log.
    if (!interrupted) console.error(`gpu: ${job.step} of run ${job.run.id}: ${failure.message}`);
    say({ kind: 'failed', id, failure: failure.toRecord(), interrupted });
  }
}

function teller(id: number, job: Job): (event: ProgressEvent) => void {
  let progress: ComputeProgress = {
    ...{ generation: generationOf(job), stage: job.step, step: '', what: '', done: 0, of: 0, loss: null, records: 0 },
  };
  let told = -Infinity;
  return (event) => {
    // Between two long tensor calls nothing else is heard: a parent that is gone must not be worked for.
    if (!process.connected) process.exit();
    if (event.kind === 'stored') {
      progress = { ...progress, step: event.place.step, records: progress.records + 1, done: 0, of: 0 };
      if (!event.replayed) say({ kind: 'stored', id, generation: event.place.generation, note: noteOf(event) });
    } else if (event.kind === 'work') {
      const { what, done, of, loss } = event;
      progress = { ...progress, what, done, of, loss: loss ?? progress.loss };
      if (done < of && performance.now() - told < TELL_MS) return;
    } else return;
    told = performance.now();
    say({ kind: 'progress', id, progress });
  };
}

function noteOf({ place, content, seconds }: Extract<ProgressEvent, { kind: 'stored' }>): StoredNote {
  const { kind, summary } = content as Partial<GroupRef>;
  if (kind !== 'group' || summary === undefined) return { step: place.step, seconds, group: null };
  const { episodes, noVerdict, strict, actionTokens: tokens } = summary;
  return { step: place.step, seconds, group: { episodes, tokens, verdicts: episodes - noVerdict, strict } };
}

function generationOf({ args }: Job): number {
  const [first] = args;
  if (typeof first === 'number') return first;
  return (first as { generation?: number } | undefined)?.generation ?? 0;
}

function say(message: FromCompute): void {
  if (process.connected) process.send?.(message);
}
