// Over seeds: mean +- t half-width, and when an effect may be named. Called by reports and comparisons of runs.
//   half-width = t_{0.975, n-1} * s / sqrt(n), s with n - 1; null for fewer than two seeds
// Source: docs/formulas.md: ours. Seeds are never pooled into one N.

import type { Vector } from './action-mask.ts';
import { requireFinite } from './checks.ts';
import { studentTQuantile } from './student-t.ts';

export interface SeedInterval {
  readonly mean: number | null; // null without seeds
  readonly halfWidth: number | null; // null for fewer than two seeds
  readonly seeds: number;
}

export function tInterval(values: Vector): SeedInterval {
  const x = Array.from(values, (v, i) => requireFinite('tInterval: value', v, i));
  const n = x.length;
  if (n === 0) return { mean: null, halfWidth: null, seeds: 0 };
  const mean = x.reduce((sum, v) => sum + v, 0) / n;
  if (n === 1) return { mean, halfWidth: null, seeds: 1 };
  const variance = x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1);
  return { mean, halfWidth: studentTQuantile(0.975, n - 1) * Math.sqrt(variance / n), seeds: n };
}

export interface NamedEffect extends SeedInterval {
  readonly named: boolean; // all differences have one sign and the interval excludes 0
}

/** `differences`: one per seed, variant minus base under the same seed. */
export function effectOverSeeds(differences: Vector): NamedEffect {
  const interval = tInterval(differences);
  const x = Array.from(differences);
  const oneSign = x.every((d) => d > 0) || x.every((d) => d < 0);
  const { mean, halfWidth } = interval;
  const excludesZero = mean !== null && halfWidth !== null && Math.abs(mean) > halfWidth;
  return { ...interval, named: oneSign && excludesZero };
}
