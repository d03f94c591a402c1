// Movement table: how tasks moved between none, partial and strict from one policy to the next, greedy decoding.
// Called by evaluation and reports; it is the method's claim. net = gained - lost with the exact two-sided McNemar p.
// Source: docs/formulas.md: ours.

import { requireInRange } from './checks.ts';
import { mcNemar } from './mcnemar.ts';

export const TASK_STATES = ['none', 'partial', 'strict'] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** none: q = 0; strict: S; partial: what is between (q = 1 without `done` too). null = no verdict. */
export function taskState(verdict: { readonly strict: boolean; readonly progress: number } | null): TaskState | null {
  if (verdict === null) return null;
  if (verdict.strict) return 'strict';
  return requireInRange('taskState: progress', verdict.progress, 0, 1) === 0 ? 'none' : 'partial';
}

/** One task under both policies; null = no verdict. */
export interface TaskMove {
  readonly before: TaskState | null;
  readonly after: TaskState | null;
}

export interface MovementTable {
  readonly counts: Readonly<Record<TaskState, Readonly<Record<TaskState, number>>>>; // counts[before][after]
  readonly noVerdict: number; // tasks without verdict on either side; not in `counts`
  readonly gained: number; // became strict
  readonly lost: number; // no longer strict
  readonly net: number;
  readonly p: number; // exact two-sided McNemar
}

export function movementTable(moves: readonly TaskMove[]): MovementTable {
  const row = (): Record<TaskState, number> => ({ none: 0, partial: 0, strict: 0 });
  const counts = { none: row(), partial: row(), strict: row() };
  let noVerdict = 0;
  for (const { before, after } of moves) {
    if (before === null || after === null) noVerdict += 1;
    else counts[before][after] += 1;
  }
  const gained = counts.none.strict + counts.partial.strict;
  const lost = counts.strict.none + counts.strict.partial;
  return { counts, noVerdict, gained, lost, net: gained - lost, p: mcNemar(gained, lost).twoSided };
}
