// Evaluation statistics: explained variance, pass@k, Wilson, McNemar, bootstrap, t intervals.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bootstrapOverTasks } from '../../rl/bootstrap.ts';
import { explainedVariance } from '../../rl/explained-variance.ts';
import { binomialHalfCdf, mcNemar } from '../../rl/mcnemar.ts';
import { passAtK } from '../../rl/pass-at-k.ts';
import { studentTCdf, studentTQuantile } from '../../rl/student-t.ts';
import { effectOverSeeds, tInterval } from '../../rl/t-interval.ts';
import { wilsonInterval } from '../../rl/wilson.ts';
import { assertNear } from './near.ts';

test('explained variance: 1 for a perfect critic, 0 for a constant one, null where undefined', () => {
  assert.equal(explainedVariance([1, 2, 4], [1, 2, 4]), 1);
  assertNear(explainedVariance([1, 2, 4], [7, 7, 7]) ?? NaN, 0);
  assertNear(explainedVariance([1, 2, 4], [2, 3, 5]) ?? NaN, 1); // a constant shift explains all variance
  for (const constant of [[], [3], [0.1, 0.1, 0.1], [1, 1 + 1e-7]]) {
    assert.equal(explainedVariance(constant, constant), null);
  }
  assert.throws(() => explainedVariance([1, 2], [NaN, 1]), /value 0: got NaN/);
});

/** C(n, k) with exact integers. */
function choose(n: number, k: number): bigint {
  let out = 1n;
  for (let i = 0; i < k; i++) out = (out * BigInt(n - i)) / BigInt(i + 1);
  return k > n ? 0n : out;
}

test('pass@k equals the ratio of binomials', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), fc.nat(), (n, a, b) => {
      const c = a % (n + 1);
      const k = 1 + (b % n);
      assertNear(passAtK(n, c, k), 1 - Number(choose(n - c, k)) / Number(choose(n, k)));
    }),
  );
  assert.throws(() => passAtK(5, 2, 6), /k = 6, n = 5/);
  assert.throws(() => passAtK(5, 2, 0), /k: got 0/);
  assert.throws(() => passAtK(5, 6, 1), /c = 6, n = 5/);
  assert.throws(() => passAtK(0, 0, 1), /k = 1, n = 0/);
});

test('Wilson: holds the rate, mirrors, null for n = 0', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (n, a) => {
      const s = a % (n + 1);
      const { low, high } = wilsonInterval(s, n) ?? { low: NaN, high: NaN };
      assert.ok(0 <= low && low <= s / n && s / n <= high && high <= 1);
      assertNear(wilsonInterval(n - s, n)?.low ?? NaN, 1 - high);
    }),
  );
  assert.equal(wilsonInterval(0, 0), null);
  assert.throws(() => wilsonInterval(2, 1), /got 2 successes of 1/);
});

test('McNemar equals exact integer arithmetic, and stays right for large n', () => {
  fc.assert(
    fc.property(fc.nat({ max: 40 }), fc.nat({ max: 40 }), (gained, lost) => {
      const n = gained + lost;
      const atMost = (k: number): number => {
        let sum = 0n;
        for (let i = 0; i <= k; i++) sum += choose(n, i);
        return Number(sum) / 2 ** n;
      };
      const p = mcNemar(gained, lost);
      assertNear(p.oneSidedLoss, atMost(gained));
      assertNear(p.twoSided, Math.min(1, 2 * atMost(Math.min(gained, lost))));
    }),
  );
  // P(X <= n/2) = 1/2 + C(n, n/2) / 2^(n+1); the central term by Stirling's series.
  const n = 100_000;
  const central = Math.sqrt(2 / (Math.PI * n)) * Math.exp(-1 / (4 * n));
  assertNear(binomialHalfCdf(n, n / 2), 0.5 + central / 2);
  assert.equal(mcNemar(0, 5000).oneSidedLoss, 0); // 2^-5000 is below the smallest double
  assert.throws(() => mcNemar(-1, 0), /gained: got -1/);
});

test('bootstrap: seeded, over tasks, tight when tasks agree, null without samples', () => {
  const tasks = Array.from({ length: 40 }, (_, i) => ({ successes: i % 5, samples: 4 }));
  const once = bootstrapOverTasks(tasks, { seed: 7 });
  assert.deepEqual(bootstrapOverTasks(tasks, { seed: 7 }), once);
  assert.notDeepEqual(bootstrapOverTasks(tasks, { seed: 8 }), once);
  assert.ok(once !== null && once.low < 0.5 && 0.5 < once.high);
  // 160 samples of 40 tasks: the width follows the 40 tasks. s.e. = sqrt(0.125 / 40) = 0.056
  assert.ok(once.high - once.low > 0.17 && once.high - once.low < 0.27, `${once.high - once.low}`);
  const same = Array.from({ length: 9 }, () => ({ successes: 1, samples: 2 }));
  assert.deepEqual(bootstrapOverTasks(same, { seed: 1 }), { low: 0.5, high: 0.5 });
  assert.equal(bootstrapOverTasks([], { seed: 1 }), null);
  assert.equal(bootstrapOverTasks([{ successes: 0, samples: 0 }], { seed: 1 }), null);
  assert.throws(() => bootstrapOverTasks([{ successes: 2, samples: 1 }], { seed: 1 }), /got 2 of 1 for task 0/);
});

test("Student's t: table values and inverse", () => {
  const table: [degrees: number, t: number][] = [
    [1, 12.706204736432095],
    [2, 4.302652729911275],
    [4, 2.776445105197793],
    [9, 2.2621571627982],
    [30, 2.042272456301238],
  ];
  for (const [degrees, t] of table) {
    assertNear(studentTQuantile(0.975, degrees), t, `t, ${degrees} degrees`, 1e-8);
    assertNear(studentTQuantile(0.025, degrees), -t, `-t, ${degrees} degrees`, 1e-8);
    assertNear(studentTCdf(t, degrees), 0.975);
  }
  assert.equal(studentTQuantile(0.5, 3), 0);
});

test('seeds: mean and half-width, none for fewer than two', () => {
  const { mean, halfWidth, seeds } = tInterval([0.5, 0.6, 0.7]);
  assertNear(mean ?? NaN, 0.6);
  assertNear(halfWidth ?? NaN, (4.302652729911275 * 0.1) / Math.sqrt(3), 'half-width', 1e-8);
  assert.equal(seeds, 3);
  assert.deepEqual(tInterval([0.5]), { mean: 0.5, halfWidth: null, seeds: 1 });
  assert.deepEqual(tInterval([]), { mean: null, halfWidth: null, seeds: 0 });
});

test('an effect is named only if all signs agree and the interval excludes 0', () => {
  assert.equal(effectOverSeeds([0.1, 0.11, 0.12]).named, true);
  assert.equal(effectOverSeeds([-0.1, -0.11, -0.12]).named, true);
  assert.equal(effectOverSeeds([0.01, 0.1, 0.3]).named, false); // one sign, wide interval
  assert.equal(effectOverSeeds([...new Array<number>(40).fill(0.1), -0.01]).named, false); // one seed disagrees
  assert.equal(effectOverSeeds([0.1]).named, false);
  assert.equal(effectOverSeeds([]).named, false);
});
