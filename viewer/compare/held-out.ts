/**
 * Two runs on the tasks that nothing was tuned on, generation by generation: strict n/N of each with its interval, and,
 * where both have played the same tasks, the paired difference with the exact McNemar p.
 */
import type { StoredRecord } from '../../contracts/run-store.ts';
import { movementTable, type MovementTable } from '../../rl/movement-table.ts';
import type { EvaluationOutcomes, TaskOutcome } from '../../training/evaluate.ts';
import { ratesOf, type Rates } from '../../training/rates.ts';

export type StrictRate = Pick<Rates, 'strict' | 'n' | 'noVerdict' | 'interval' | 'partialMean'>;

/** gained: strict on the right alone; lost: strict on the left alone. */
export interface Paired extends Pick<MovementTable, 'gained' | 'lost' | 'net' | 'p'> {
  /** Tasks that both have a verdict on. */
  readonly n: number;
}

export interface HeldOutRow {
  readonly generation: number;
  readonly set: string;
  /** Null where that run was not evaluated. */
  readonly left: StrictRate | null;
  readonly right: StrictRate | null;
  /** Null where they have no task in common. */
  readonly paired: Paired | null;
}

/** It decides what is promoted, so it is no measure of a run. */
const DECIDES = 'selection';

export function compareHeldOut(left: readonly StoredRecord[], right: readonly StoredRecord[]): HeldOutRow[] {
  const [ours, theirs] = [evaluationsOf(left), evaluationsOf(right)];
  const keys = new Map([...ours, ...theirs].map(([key, { generation, set }]) => [key, { generation, set }]));
  return [...keys]
    .map(([key, { generation, set }]) => {
      const [one, other] = [ours.get(key)?.outcomes, theirs.get(key)?.outcomes];
      return {
        ...{ generation, set, left: rateOf(one), right: rateOf(other) },
        paired: one === undefined || other === undefined ? null : pairedOf(one, other),
      };
    })
    .sort((a, b) => a.generation - b.generation);
}

interface Evaluated {
  readonly generation: number;
  readonly set: string;
  readonly outcomes: readonly TaskOutcome[];
}

/** By generation and set; sets without tasks are left out. */
function evaluationsOf(records: readonly StoredRecord[]): Map<string, Evaluated> {
  return new Map(
    records.flatMap(({ place: { generation }, content }): [string, Evaluated][] => {
      if (content.kind !== 'evaluation-outcomes') return [];
      const { set, outcomes } = content as EvaluationOutcomes;
      const isShown = String(set) !== DECIDES && outcomes.length > 0;
      return isShown ? [[`${generation} ${set}`, { generation, set, outcomes }]] : [];
    }),
  );
}

function rateOf(outcomes: readonly TaskOutcome[] | undefined): StrictRate | null {
  if (outcomes === undefined) return null;
  const { strict, n, noVerdict, interval, partialMean } = ratesOf(outcomes);
  return { strict, n, noVerdict, interval, partialMean };
}

function pairedOf(left: readonly TaskOutcome[], right: readonly TaskOutcome[]): Paired | null {
  const others = new Map(right.map(({ taskId, state }) => [taskId, state]));
  const moves = left.flatMap(({ taskId, state }) =>
    others.has(taskId) ? [{ before: state, after: others.get(taskId) ?? null }] : [],
  );
  if (moves.length === 0) return null;
  const { gained, lost, net, p, noVerdict } = movementTable(moves);
  return { n: moves.length - noVerdict, gained, lost, net, p };
}
