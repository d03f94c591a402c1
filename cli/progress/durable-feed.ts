/**
 * Feeds the live view of a durable run from what can be seen of it from outside: records from the lineage database, the
 * stage from the workflow's query, the work within a step from the heartbeat of the activity (workers/watch-run.ts).
 */
import { Failure } from '../../contracts/failures.ts';
import { elapsedOf } from '../../contracts/run-store.ts';
import { eventsAfter, openStoredRun, type StoredRun } from '../../lineage/postgres/open-stored-run.ts';
import type { Queryable } from '../../lineage/postgres/connection.ts';
import type { ProgressEvent } from '../../training/progress-event.ts';
import type { Watched } from '../../workers/watch-run.ts';
import type { RunProgress } from '../../workflows/run-progress.ts';
import { openProgressView, type Output, type ProgressView } from './view.ts';

export interface DurableFeed {
  /** What was seen last, once a second. */
  take(seen: Watched): Promise<void>;
  /** A line above the view. */
  say(line: string): void;
  close(): void;
}

export interface DurableFeedOptions {
  readonly db: Queryable;
  readonly blobs: string;
  readonly output: Output;
  /** The run has its row now; what this throws ends the watching. */
  readonly onClaimed?: (run: StoredRun) => void;
}

const NOBODY = 'no worker answers; waiting for one';

export function openDurableFeed({ db, blobs, output, onClaimed }: DurableFeedOptions): DurableFeed {
  let view: ProgressView | null = null;
  let run: StoredRun | null = null;
  let seq = 0;
  const last = new Map<ProgressEvent['kind'], string>();

  const open = async (runId: number, isAtWork: boolean): Promise<ProgressView> => {
    run = await openStoredRun(db, blobs, runId);
    onClaimed?.(run);
    const records = run.events.flatMap(({ record }) => (record === null ? [] : [record]));
    const stored = elapsedOf(records);
    // Whoever computes now has done so since the last record.
    const since = isAtWork ? (run.events.at(-1)?.age ?? 0) : 0;
    const opened = openProgressView(run.config, stored + since, output);
    for (const { place, content, seconds } of records) {
      opened.report({ kind: 'stored', place, content, seconds, replayed: true });
    }
    seq = run.eventHead.events;
    return opened;
  };

  const takeRecords = async (to: ProgressView, { run: { id } }: StoredRun): Promise<void> => {
    for (const event of await eventsAfter(db, id, seq)) {
      seq = event.seq;
      if (event.record === null) continue;
      const { place, content, seconds } = event.record;
      to.report({ kind: 'stored', place, content, seconds, replayed: false });
    }
  };

  /** Stages and work are told when they change. */
  const tell = (to: ProgressView, event: ProgressEvent | null): void => {
    const text = JSON.stringify(event);
    if (event === null || text === last.get(event.kind)) return;
    last.set(event.kind, text);
    to.report(event);
  };

  const take = async ({ progress, work }: Watched): Promise<void> => {
    if (progress === null) return view?.hold(NOBODY);
    if (progress.runId === null) return;
    view ??= await open(progress.runId, work !== null);
    if (run === null) return;
    const { status, pausedBecause } = progress;
    tell(view, stageOf(progress, run));
    await takeRecords(view, run);
    tell(view, workOf(work));
    view.hold(status === 'paused' ? pauseText(pausedBecause, run.run.workflowId) : null);
  };

  return {
    take: async (seen) => {
      try {
        await take(seen);
      } catch (error) {
        if (!(error instanceof Failure) || error.boundary !== 'storage' || !error.retryable) throw error;
        const { progress } = seen;
        // A run that has parked meanwhile does not go on by itself when the database is back.
        const workflowId = run?.run.workflowId ?? 'RUN';
        const paused = progress?.status === 'paused' ? `${pauseText(progress.pausedBecause, workflowId)}; ` : '';
        view?.hold(`${paused}the database does not answer; waiting for it (${error.message})`);
      }
    },
    say: (line) => (view === null ? void output.write(`${line}\n`) : view.say(line)),
    close: () => view?.close(),
  };
}

function pauseText(because: string | null, workflowId: string): string {
  return `paused${because === null ? '' : `: ${because}`}; \`rsi resume ${workflowId}\` goes on`;
}

function workOf(work: Watched['work']): ProgressEvent | null {
  if (work === null || work.of === 0) return null;
  const { what, done, of, loss } = work;
  return { kind: 'work', what: what as 'episodes' | 'steps' | 'demonstrations', done, of, loss };
}

const AFTER_STAGES = ['evaluate', 'judge', 'stop rules'];

/** "s0-self-rewrite" of workflow "RUN/g1/...", as durable-steps.ts names them. */
function stageOf({ stage: name, workflowId }: RunProgress, { run, config }: StoredRun): ProgressEvent | null {
  if (name === 'claim' || name === 'end') return null;
  // A generation is counted before its first stage is told.
  const generation = Number(/^\/g(\d+)/.exec(workflowId.slice(run.workflowId.length))?.[1] ?? 0);
  const [, index, stage = name] = /^s(\d+)-(.+)$/.exec(name) ?? [];
  const outside = AFTER_STAGES.includes(name) ? config.stages.length : -1;
  return { kind: 'stage', generation, stageIndex: index === undefined ? outside : Number(index), stage };
}
