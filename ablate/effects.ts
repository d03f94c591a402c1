/**
 * What the rows of a study say: per variant each seed's value, their mean with its t interval, and the differences to the
 * base under the same seed. An effect is named only if all seeds agree in sign and the interval excludes 0
 * (rl/t-interval.ts). Seeds are never pooled: a seed counts once, however many tasks it was measured on.
 */
import { effectOverSeeds, tInterval, type NamedEffect, type SeedInterval } from '../rl/t-interval.ts';
import type { AblationRow, Cell, MeasuredSet } from './row.ts';
import { BASE } from './study.ts';

/** Null where nothing was measured. */
export type Measure = (row: AblationRow) => number | null;

export interface VariantEffect {
  readonly variant: string;
  /** As many as there are rows, by seed. */
  readonly values: readonly { readonly seed: number; readonly value: number | null }[];
  readonly over: SeedInterval;
  /** Variant minus base, seeds that both have; null for the base. */
  readonly differences: readonly { readonly seed: number; readonly difference: number }[] | null;
  readonly effect: NamedEffect | null;
}

/** `rows` of one study; variants in the order of their first row. */
export function effectsOf(rows: readonly AblationRow[], measure: Measure): VariantEffect[] {
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const base = new Map(rows.filter(({ variant }) => variant === BASE).map((row) => [row.seed, measure(row)]));
  return variants.map((variant) => {
    const values = rows
      .filter((row) => row.variant === variant)
      .map((row) => ({ seed: row.seed, value: measure(row) }));
    const over = tInterval(values.flatMap(({ value }) => value ?? []));
    if (variant === BASE) return { variant, values, over, differences: null, effect: null };
    const differences = values.flatMap(({ seed, value }) => {
      const other = base.get(seed) ?? null;
      return value === null || other === null ? [] : [{ seed, difference: value - other }];
    });
    return { variant, values, over, differences, effect: effectOverSeeds(differences.map((one) => one.difference)) };
  });
}

/** Of the state that the run ended with. */
export function endCell({ generations, end }: AblationRow, set: MeasuredSet): Cell {
  const found = generations.find(({ generation }) => generation === end.promotedGeneration) ?? generations[0];
  return (found as AblationRow['generations'][number]).sets[set];
}

export function startCell({ generations }: AblationRow, set: MeasuredSet): Cell {
  return (generations[0] as AblationRow['generations'][number]).sets[set];
}

export function strictRate(set: MeasuredSet): Measure {
  return (row) => {
    const { n, strict } = endCell(row, set);
    return n === 0 ? null : strict / n;
  };
}

/** "lower", "higher": an effect that may be named; otherwise why not. */
export function verdictOf({ named, mean, seeds }: NamedEffect): string {
  if (seeds === 0) return 'no base to compare with';
  if (seeds === 1) return 'one seed says nothing';
  if (!named || mean === null) return 'within noise';
  return mean > 0 ? '**higher**' : '**lower**';
}
