// Assertions on numbers shared by the tests of rl/.

import assert from 'node:assert/strict';

/** Equal within 1e-9, relative above 1. */
export function assertNear(got: number, expected: number, what = 'value', tolerance = 1e-9): void {
  const ok = Math.abs(got - expected) <= tolerance * Math.max(1, Math.abs(expected));
  assert.ok(ok, `${what}: got ${got}, expected ${expected}`);
}

export function assertAllNear(got: ArrayLike<number>, expected: ArrayLike<number>, what = 'value'): void {
  assert.equal(got.length, expected.length, `${what}: length`);
  for (let i = 0; i < got.length; i++) assertNear(got[i] ?? NaN, expected[i] ?? NaN, `${what}[${i}]`);
}

/** Central difference of `f` at `x`. */
export function slope(f: (x: number) => number, x: number, step = 1e-6): number {
  return (f(x + step) - f(x - step)) / (2 * step);
}
