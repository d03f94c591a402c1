// Wilson score interval of a success rate. Called by evaluation and reports for one sample per task.
//   (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), z = 1.959963984540054;  n = 0: null
// Source: docs/formulas.md: ours (Wilson 1927). Several samples per task: bootstrap.ts.

import { requireCount } from './checks.ts';

/** The 97.5 % point of the normal distribution. */
export const Z_95 = 1.959963984540054;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export function wilsonInterval(successes: number, n: number): Interval | null {
  requireCount('wilsonInterval: n', n);
  requireCount('wilsonInterval: successes', successes);
  if (successes > n) throw new RangeError(`wilsonInterval: got ${successes} successes of ${n}; need at most n`);
  if (n === 0) return null;
  const p = successes / n;
  const z2 = Z_95 * Z_95;
  const scale = 1 + z2 / n;
  const centre = (p + z2 / (2 * n)) / scale;
  const half = (Z_95 * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))) / scale;
  // At the ends the bound is exactly 0 or 1; rounding would leave 1e-17.
  return {
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === n ? 1 : Math.min(1, centre + half),
  };
}
