/**
 * Where the run's time went. A record tells when it was stored (`elapsed`) and how long it took (`seconds`), so its work
 * spans [elapsed - seconds, elapsed]. Pieces of work overlap (two lanes of groups, sandboxes ahead of training): each
 * moment is divided equally among the kinds under way, so shares add up to the time that passed; `other` is the rest.
 */
import type { StoredRecord } from '../../contracts/run-store.ts';
import { kindOfWork, WORK_KINDS, type WorkKind } from '../work-kinds.ts';

export interface TimeReport {
  /** Active seconds of the run, over all its sessions. */
  readonly total: number;
  readonly byKind: Readonly<Record<WorkKind, number>>;
  readonly byGeneration: readonly {
    readonly generation: number;
    readonly byKind: Readonly<Record<WorkKind, number>>;
  }[];
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: WorkKind;
  readonly generation: number;
}

export function timeReport(records: readonly StoredRecord[]): TimeReport {
  const spans = records.map(({ place, seconds, elapsed }): Span => {
    return {
      from: Math.max(0, elapsed - seconds),
      to: elapsed,
      kind: kindOfWork(place.step),
      generation: place.generation,
    };
  });
  const total = spans.reduce((latest, { to }) => Math.max(latest, to), 0);
  const generations = [...new Set(spans.map(({ generation }) => generation))].sort((a, b) => a - b);
  const byGeneration = generations.map((generation) => ({ generation, byKind: emptyShares() }));
  const byKind = emptyShares();
  const cuts = [...new Set([0, ...spans.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const starts = [...spans].sort((a, b) => a.from - b.from);
  let open: Span[] = [];
  let next = 0;
  for (const [i, from] of cuts.entries()) {
    const to = cuts[i + 1];
    if (to === undefined) break;
    while ((starts[next]?.from ?? Infinity) <= from) open.push(starts[next++] as Span);
    open = open.filter((span) => span.to > from);
    const kinds = new Set(open.map(({ kind }) => kind));
    if (kinds.size === 0) byKind.other += to - from;
    for (const kind of kinds) {
      byKind[kind] += (to - from) / kinds.size;
      const generation = open.find((span) => span.kind === kind)?.generation;
      const share = byGeneration.find((one) => one.generation === generation);
      if (share !== undefined) share.byKind[kind] += (to - from) / kinds.size;
    }
  }
  return { total, byKind, byGeneration };
}

function emptyShares(): Record<WorkKind, number> {
  return Object.fromEntries(WORK_KINDS.map((kind) => [kind, 0])) as Record<WorkKind, number>;
}
