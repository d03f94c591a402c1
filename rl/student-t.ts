// Student's t distribution: CDF and quantile. Called by t-interval.ts.
// CDF by the regularised incomplete beta function (Lentz's continued fraction), quantile by bisection.
// Textbook numerics, ours; accurate to about 1e-10, far below what a handful of seeds can say.

import { at } from './action-mask.ts';
import { requireCount, requireInRange } from './checks.ts';

/** P(T <= t) with `degrees` degrees of freedom. */
export function studentTCdf(t: number, degrees: number): number {
  requireCount('studentTCdf: degrees', degrees, 1);
  const tail = 0.5 * incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
  return t >= 0 ? 1 - tail : tail;
}

/** t with P(T <= t) = p. */
export function studentTQuantile(p: number, degrees: number): number {
  requireInRange('studentTQuantile: p', p, 1e-6, 1 - 1e-6);
  requireCount('studentTQuantile: degrees', degrees, 1);
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentTQuantile(1 - p, degrees);
  let low = 0;
  let high = 1;
  while (studentTCdf(high, degrees) < p) high *= 2;
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (studentTCdf(middle, degrees) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on the left of the mean, the symmetry covers the right.
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(a, b, x)) / a;
  return 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

function betaFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300;
  const guard = (v: number): number => (Math.abs(v) < tiny ? tiny : v);
  let c = 1;
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1));
  let h = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return h;
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln Gamma(z) for z > 0 (Lanczos, g = 7). */
function logGamma(z: number): number {
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
  const x = z - 1;
  let sum = at(LANCZOS, 0, 'logGamma');
  for (let i = 1; i < LANCZOS.length; i++) sum += at(LANCZOS, i, 'logGamma') / (x + i);
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}
