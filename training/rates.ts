/** Rates of an evaluation's outcomes: strict n/N with its interval, partial mean, turns, tokens, failed commands. */
import { movementTable, type MovementTable } from '../rl/movement-table.ts';
import { wilsonInterval, type Interval } from '../rl/wilson.ts';
import type { TaskOutcome } from './evaluate.ts';

export interface Rates {
  /** Tasks with a verdict. */
  readonly n: number;
  readonly noVerdict: number;
  readonly strict: number;
  /** Null when n = 0. */
  readonly interval: Interval | null;
  readonly partialMean: number | null;
  readonly turns: number | null;
  readonly actionTokens: number | null;
  readonly failedCommands: number | null;
}

export function ratesOf(outcomes: readonly TaskOutcome[]): Rates {
  const verified = outcomes.filter(({ state }) => state !== null);
  const n = verified.length;
  const mean = (measure: (outcome: TaskOutcome) => number): number | null =>
    n === 0 ? null : verified.reduce((sum, outcome) => sum + measure(outcome), 0) / n;
  const strict = verified.filter(({ state }) => state === 'strict').length;
  return {
    n,
    noVerdict: outcomes.length - n,
    strict,
    interval: wilsonInterval(strict, n),
    partialMean: mean(({ progress }) => progress),
    turns: mean(({ turns }) => turns),
    actionTokens: mean(({ actionTokens }) => actionTokens),
    failedCommands: mean(({ failedCommands }) => failedCommands),
  };
}

export function strictShare(rates: Rates): number | null {
  return rates.n === 0 ? null : rates.strict / rates.n;
}

/** Rates by a key of the outcome: family, number of sub-goals. */
export function ratesBy(
  outcomes: readonly TaskOutcome[],
  key: (outcome: TaskOutcome) => string,
): Record<string, Rates> {
  const groups = new Map<string, TaskOutcome[]>();
  for (const outcome of outcomes) groups.set(key(outcome), [...(groups.get(key(outcome)) ?? []), outcome]);
  return Object.fromEntries(
    [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => [name, ratesOf(members)]),
  );
}

/** Share of sub-goals that held at the end, by position in the task and number of sub-goals: "2 of 3". */
export function subGoalRates(
  outcomes: readonly TaskOutcome[],
): Record<string, { readonly n: number; readonly passed: number }> {
  const table: Record<string, { n: number; passed: number }> = {};
  for (const { checks } of outcomes) {
    for (const [i, check] of checks.entries()) {
      const cell = (table[`${i + 1} of ${checks.length}`] ??= { n: 0, passed: 0 });
      cell.n += 1;
      cell.passed += check;
    }
  }
  return table;
}

/** The way there, on the tasks that were strict before and are after: what is left when success cannot change it. */
export interface SolvedAtBothEnds {
  readonly tasks: number;
  readonly before: Rates;
  readonly after: Rates;
}

export function solvedAtBothEnds(before: readonly TaskOutcome[], after: readonly TaskOutcome[]): SolvedAtBothEnds {
  const isSolved = before.map(({ state }, i) => state === 'strict' && after[i]?.state === 'strict');
  const [there, here] = [before, after].map((outcomes) => ratesOf(outcomes.filter((_, i) => isSolved[i])));
  return { tasks: there?.n ?? 0, before: there as Rates, after: here as Rates };
}

/** How the same tasks moved from one evaluation to another; both must list the same tasks in the same order. */
export function movesBetween(before: readonly TaskOutcome[], after: readonly TaskOutcome[]): MovementTable {
  if (before.length !== after.length || before.some(({ taskId }, i) => taskId !== after[i]?.taskId)) {
    throw new Error('a movement table compares evaluations of the same tasks');
  }
  return movementTable(before.map(({ state }, i) => ({ before: state, after: after[i]?.state ?? null })));
}
