// pass@k: the chance that one of k of the n samples of a task is a success, c of n being so. Called by evaluation.
//   1 - C(n-c, k) / C(n, k);  1 if n - c < k;  k < 1, k > n and c > n are errors
// Source: docs/formulas.md: ours (unbiased form: Chen et al. 2021).

import { requireCount } from './checks.ts';

export function passAtK(n: number, c: number, k: number): number {
  requireCount('passAtK: n', n);
  requireCount('passAtK: c', c);
  requireCount('passAtK: k', k, 1);
  if (k > n) throw new RangeError(`passAtK: got k = ${k}, n = ${n}; need k <= n`);
  if (c > n) throw new RangeError(`passAtK: got c = ${c}, n = ${n}; need c <= n`);
  if (n - c < k) return 1;
  // C(n-c, k) / C(n, k) = product over i = n-c+1 .. n of (1 - k / i): no factor overflows.
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
