/**
 * Where the run's time went. A record tells when it was stored (`elapsed`) and how long it took (`seconds`), so its work
 * spans [elapsed - seconds, elapsed]. Pieces of work overlap (two lanes of groups, sandboxes ahead of training): each
 * moment is divided equally among the kinds under way, so shares add up to the time that passed; `other` is the rest.
 * Of the time between two records, the part in which storage was waited for comes first, whatever went on beside it.
 */
import type { PlayingTime, StoredRecord } from '../../contracts/run-store.ts';
import { kindOfWork, WORK_KINDS, type WorkKind } from '../work-kinds.ts';

export interface TimeShares {
  readonly byKind: Readonly<Record<WorkKind, number>>;
  /** Of each kind, what went by in sandboxes: its share of the time in which the kind's episodes were played. */
  readonly sandbox: Readonly<Record<WorkKind, number>>;
}

export interface TimeReport extends TimeShares {
  /** Active seconds of the run, over all its sessions. */
  readonly total: number;
  readonly byGeneration: readonly (TimeShares & { readonly generation: number })[];
  /** What records that were made before there were such clocks do not tell: its numbers are too low. */
  readonly notMeasured: readonly ('sandbox' | 'storage')[];
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: WorkKind;
  readonly generation: number;
  readonly played: PlayingTime;
}

export function timeReport(records: readonly StoredRecord[]): TimeReport {
  const spans = records.map(spanOf);
  const total = spans.reduce((latest, { to }) => Math.max(latest, to), 0);
  const generations = [...new Set(spans.map(({ generation }) => generation))].sort((a, b) => a - b);
  const byGeneration = generations.map((generation) => ({ generation, ...emptyShares() }));
  const whole = emptyShares();
  const add = (to: 'byKind' | 'sandbox', kind: WorkKind, seconds: number, generation: number | undefined): void => {
    whole[to][kind] += seconds;
    const share = byGeneration.find((one) => one.generation === generation);
    if (share !== undefined) share[to][kind] += seconds;
  };
  const cuts = [...new Set([0, ...spans.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const starts = [...spans].sort((a, b) => a.from - b.from);
  const waits = storageWaits(records);
  let open: Span[] = [];
  let next = 0;
  for (const [i, from] of cuts.entries()) {
    const to = cuts[i + 1];
    if (to === undefined) break;
    while ((starts[next]?.from ?? Infinity) <= from) open.push(starts[next++] as Span);
    open = open.filter((span) => span.to > from);
    while ((waits[0]?.until ?? Infinity) <= from) waits.shift();
    const stored = (to - from) * (waits[0]?.share ?? 0);
    add('byKind', 'storage', stored, waits[0]?.generation);
    const kinds = new Set(open.map(({ kind }) => kind));
    const each = (to - from - stored) / Math.max(1, kinds.size);
    if (kinds.size === 0) add('byKind', 'other', each, undefined);
    for (const kind of kinds) {
      const ofKind = open.filter((span) => span.kind === kind);
      const generation = ofKind[0]?.generation;
      add('byKind', kind, each, generation);
      add('sandbox', kind, each * sandboxShare(ofKind), generation);
    }
  }
  return { total, ...whole, byGeneration, notMeasured: notMeasured(records) };
}

function spanOf({ place, seconds, elapsed, played = { seconds: 0, sandbox: 0 } }: StoredRecord): Span {
  return {
    ...{ from: Math.max(0, elapsed - seconds), to: elapsed, played },
    ...{ kind: kindOfWork(place.step), generation: place.generation },
  };
}

/** Of the playing that is under way; of groups beside each other in one process, one holds the time of both. */
function sandboxShare(spans: readonly Span[]): number {
  const seconds = spans.reduce((sum, { played }) => sum + played.seconds, 0);
  const sandbox = spans.reduce((sum, { played }) => sum + played.sandbox, 0);
  // Several sandbox threads of one process may be at work longer than it plays.
  return Math.min(1, sandbox / Math.max(1e-9, seconds));
}

interface Wait {
  readonly until: number;
  /** Of the time since the wait before. */
  readonly share: number;
  readonly generation: number;
}

function storageWaits(records: readonly StoredRecord[]): Wait[] {
  let before = 0;
  return [...records]
    .sort((a, b) => a.elapsed - b.elapsed)
    .map(({ elapsed, storage = 0, place }) => {
      const share = Math.min(1, storage / Math.max(1e-9, elapsed - before));
      before = elapsed;
      return { until: elapsed, share, generation: place.generation };
    });
}

function notMeasured(records: readonly StoredRecord[]): TimeReport['notMeasured'] {
  const hasSandbox = records.every(({ content, played }) => content.kind !== 'group' || played !== undefined);
  const hasStorage = records.every(({ storage }) => storage !== undefined);
  return [...(hasSandbox ? [] : ['sandbox' as const]), ...(hasStorage ? [] : ['storage' as const])];
}

function emptyShares() {
  const empty = (): Record<WorkKind, number> =>
    Object.fromEntries(WORK_KINDS.map((kind) => [kind, 0])) as Record<WorkKind, number>;
  return { byKind: empty(), sandbox: empty() };
}
