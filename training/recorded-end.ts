/**
 * Why a run ended, recorded where a person ended or shortened it: no other record tells so, and whoever reads the run
 * later could not know it from one that was given up. Ends that a rule or the plan brought are told by the story.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import { elapsedOf, type Place, type RunStore } from '../contracts/run-store.ts';
import { wasStopped, type RunEnd } from './recursion.ts';

interface RecordedEnd {
  readonly kind: 'run-end';
  readonly end: RunEnd;
}

/** Of the run as a whole, beside what it was begun with (environment.ts). */
const PLACE: Place = { generation: 0, stageIndex: -1, step: 'run-end', iteration: 0, group: 0 };

/** Stored once, however often it is told. */
export async function recordEnd(store: RunStore, end: RunEnd, { generations }: RunConfig): Promise<void> {
  const isShortened = end.reason === 'generations' && (end.limit ?? generations) < generations;
  if (!wasStopped(end) && !isShortened) return;
  const elapsed = elapsedOf(await store.list());
  const content: RecordedEnd = { kind: 'run-end', end };
  await store.write({ place: PLACE, content, uses: [], blobs: [], seconds: 0, elapsed });
}

/** Null: the records tell it themselves, or it has not ended. */
export async function recordedEnd(store: Pick<RunStore, 'read'>): Promise<RunEnd | null> {
  return (await store.read<RecordedEnd>(PLACE))?.content.end ?? null;
}
