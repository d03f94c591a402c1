/**
 * What earlier stages left behind for rewriting, read from storage: plain rollouts on train tasks, accepted children,
 * demonstrations. A pure function of the records before a place, so a stage needs no state but its place.
 */
import type { GroupRef } from '../contracts/checkpoint.ts';
import { comparePlaces, type Place, type StoredRecord } from '../contracts/run-store.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import type { LoopContext } from './context.ts';
import { loadGroup } from './groups.ts';
import { PLAIN_STEPS } from './plain-rollouts.ts';
import { loadDecisions, type StoredDecisions } from './rewrite-decisions.ts';

export interface ParentPool {
  /** Accepted children, train rollouts and demonstrations in turn, each newest first. */
  readonly earlier: readonly Trajectory[];
  /** Accepted children of former rounds, newest first: the replay. */
  readonly accepted: readonly Trajectory[];
  /** Command sequences of a child's ancestors (parent first), by the child's id. */
  readonly ancestry: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Groups that hold the accepted children. */
  readonly rewriteGroups: readonly GroupRef[];
}

export async function parentPoolBefore(
  context: LoopContext,
  place: Pick<Place, 'generation' | 'stageIndex'>,
  enough: number,
): Promise<ParentPool> {
  const earlier = (await context.store.list())
    .filter((record) => isBefore(record.place, place))
    .sort((a, b) => comparePlaces(b.place, a.place));
  const rounds = await Promise.all(
    earlier.flatMap((record) => (isDecisions(record) ? [loadRound(context, earlier, record)] : [])),
  );
  const accepted = rounds.flatMap((round) => round.accepted);
  const rollouts = await newestOf(context, earlier, PLAIN_STEPS, enough);
  const demonstrations = await newestOf(context, earlier, new Set(['demonstrations']), enough);
  return {
    earlier: inTurn([accepted, rollouts, demonstrations]),
    accepted,
    ancestry: new Map(rounds.flatMap((round) => round.ancestry)),
    rewriteGroups: rounds.flatMap((round) => round.groups),
  };
}

/** Episodes of the newest groups of certain steps, until there are enough. */
async function newestOf(
  context: LoopContext,
  earlier: readonly StoredRecord[],
  steps: ReadonlySet<string>,
  enough: number,
): Promise<Trajectory[]> {
  const found: Trajectory[] = [];
  for (const record of earlier) {
    if (found.length >= enough) break;
    const group = steps.has(record.place.step) ? groupOf(record) : null;
    if (group !== null) found.push(...(await loadGroup(context, group)).toReversed());
  }
  return found;
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

interface FormerRound {
  readonly record: StoredRecord;
  readonly groups: readonly GroupRef[];
  /** Newest first. */
  readonly accepted: readonly Trajectory[];
  readonly ancestry: readonly (readonly [string, readonly (readonly string[])[]])[];
}

async function loadRound(
  context: LoopContext,
  earlier: readonly StoredRecord[],
  record: StoredRecord<StoredDecisions>,
): Promise<FormerRound> {
  const { generation, stageIndex } = record.place;
  const groups = earlier
    .filter(
      ({ place }) => place.generation === generation && place.stageIndex === stageIndex && place.step === 'rewrite',
    )
    .flatMap((rewrites) => groupOf(rewrites) ?? []);
  const candidates = (await Promise.all(groups.map((group) => loadGroup(context, group)))).map((group) =>
    group.toReversed(),
  );
  const kept = new Set(record.content.acceptedIds);
  const decisions = await loadDecisions(context, record.content);
  return {
    record,
    groups,
    accepted: candidates.flat().filter(({ id }) => kept.has(id)),
    ancestry: decisions.flatMap(({ accepted, childId, ancestry }) => (accepted ? [[childId, ancestry] as const] : [])),
  };
}

/** Stages before this one, the warm start included; never what stands in the same stage. */
function isBefore(a: Place, b: Pick<Place, 'generation' | 'stageIndex'>): boolean {
  return a.generation < b.generation || (a.generation === b.generation && a.stageIndex < b.stageIndex);
}

function groupOf({ content }: StoredRecord): GroupRef | null {
  return content.kind === 'group' ? (content as GroupRef) : null;
}

function isDecisions(record: StoredRecord): record is StoredRecord<StoredDecisions> {
  return record.content.kind === 'rewrite-decisions';
}
