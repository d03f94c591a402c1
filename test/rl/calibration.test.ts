// Calibration: monotone, pinned, shrunk; which rows enter; isotonic regression and calibration error.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  applyCalibration,
  type CalibrationMap,
  type CalibrationRow,
  calibrationRows,
  expectedCalibrationError,
  fitCalibration,
  fitCalibrationFromEpisodes,
  identityCalibration,
} from '../../rl/calibration.ts';
import { isotonicRegression } from '../../rl/isotonic.ts';
import { assertAllNear, assertNear } from './near.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const row = fc.tuple(fc.constantFrom(0, 0.1, 0.25, 1 / 3, 0.5, 2 / 3, 0.9, 1), fc.constantFrom(0, 1));
const rows: fc.Arbitrary<CalibrationRow[]> = fc.array(row, { maxLength: 30 });

test('the map is monotone, keeps 0 and 1, and stays in [0, 1]', () => {
  fc.assert(
    fc.property(rows, fc.nat({ max: 50 }), fc.nat({ max: 50 }), unit, unit, (data, n, k, a, b) => {
      const map = fitCalibration(data, n, k);
      assert.equal(applyCalibration(map, 0), 0);
      assertNear(applyCalibration(map, 1), 1);
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      assert.ok(applyCalibration(map, low) <= applyCalibration(map, high) + 1e-12);
      assert.ok(applyCalibration(map, high) <= 1);
    }),
  );
});

test('row order does not matter, and the map survives JSON', () => {
  fc.assert(
    fc.property(rows, unit, (data, q) => {
      const map = fitCalibration(data, 20);
      assert.deepEqual(fitCalibration([...data].reverse(), 20), map);
      const copy = JSON.parse(JSON.stringify(map)) as CalibrationMap;
      assert.equal(applyCalibration(copy, q), applyCalibration(map, q));
    }),
  );
});

test('identity: no rows, no episodes, only pinned levels', () => {
  for (const map of [
    identityCalibration(),
    fitCalibration([], 0),
    fitCalibration([[0.5, 1]], 0, 0), // n = k = 0 must not be 0 / 0
    fitCalibration([[0, 1], [1, 0], [1 - 1e-10, 0]], 9), // prettier-ignore
  ]) {
    assert.equal(applyCalibration(map, 0.37), 0.37);
  }
});

test('a pseudo count pulls towards q; without it the fit stands', () => {
  const data: CalibrationRow[] = [[0.5, 1], [0.5, 0], [0.5, 0], [0.5, 0]]; // prettier-ignore
  assertNear(applyCalibration(fitCalibration(data, 4, 0), 0.5), 0.25);
  assertNear(applyCalibration(fitCalibration(data, 4, 4), 0.5), 0.375);
  assertNear(applyCalibration(fitCalibration(data, 4, 0), 0.75), 0.625);
});

test('levels within 1e-9 are one', () => {
  const map = fitCalibration([[0.3, 1], [0.1 + 0.2, 0]], 2, 0); // prettier-ignore
  assert.equal(map.knots.length, 1);
  assertNear(applyCalibration(map, 0.3), 0.5);
});

test('rows: each level once, when first reached, terminal and pinned levels apart', () => {
  const progress = [0.25, 0.25, 0.5, null, 0.25, 0.75, 1, 0.9];
  assert.deepEqual(calibrationRows({ progress, strict: true }), [[0.25, 1], [0.5, 1], [0.75, 1]]); // prettier-ignore
  assert.deepEqual(calibrationRows({ progress: [0.5], strict: true }), []);
  // The untouched task is no turn end; its level counts once a turn ended with it.
  assert.deepEqual(calibrationRows({ progress: [0.5, 1], strict: true }), []);
  assert.deepEqual(calibrationRows({ progress: [0.5, 0.5, 1], strict: true }), [[0.5, 1]]);
  assert.deepEqual(calibrationRows({ progress: [], strict: true }), []);
  assert.deepEqual(calibrationRows({ progress: [0, 1, 0.5], strict: false }), []);
});

test('n counts the episodes that gave a row', () => {
  const map = fitCalibrationFromEpisodes([
    { progress: [0, 0.5, 1], strict: true },
    { progress: [0, 0.25, 0.5, 0.5], strict: false },
    { progress: [0, 1], strict: true },
  ]);
  assert.equal(map.episodes, 2);
  assert.equal(map.pseudoCount, 20);
  assert.deepEqual(map.knots, [{ progress: 0.25, fitted: 0 }, { progress: 0.5, fitted: 0.5 }]); // prettier-ignore
});

test('wrong rows and queries are refused', () => {
  assert.throws(() => fitCalibration([[1.2, 1]], 1), /progress: got 1.2/);
  assert.throws(() => fitCalibration([[0.2, 0.5]], 1), /strict = 0.5/);
  assert.throws(() => fitCalibration([], -1), /episodes: got -1/);
  assert.throws(() => applyCalibration(identityCalibration(), NaN), /progress: got NaN/);
});

test('expected calibration error: 10 equal bins, null without rows', () => {
  assert.equal(expectedCalibrationError([]), null);
  assertNear(expectedCalibrationError([[0.95, 1], [1, 1], [0.05, 0]]) ?? NaN, (0.05 + 0.05) / 3); // prettier-ignore
  assertNear(expectedCalibrationError([[0.42, 1], [0.48, 0]]) ?? NaN, 0.05); // prettier-ignore
  fc.assert(
    fc.property(fc.array(fc.tuple(unit, fc.constantFrom(0, 1)), { minLength: 1 }), (data) => {
      const error = expectedCalibrationError(data) ?? NaN;
      assert.ok(error >= 0 && error <= 1 + 1e-12);
    }),
  );
});

test('isotonic regression: monotone, keeps the weighted mean, leaves sorted data alone, beats other monotone fits', () => {
  const data = fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(data, fc.array(unit, { minLength: 12, maxLength: 12 }), (pairs, other) => {
      const y = pairs.map(([v]) => v);
      const w = pairs.map(([, v]) => v);
      const fitted = [...isotonicRegression(y, w)];
      fitted.forEach((f, i) => assert.ok(i === 0 || f >= (fitted[i - 1] ?? NaN) - 1e-12));
      const dot = (a: readonly number[]): number => a.reduce((s, v, i) => s + v * (w[i] ?? NaN), 0);
      assertNear(dot(fitted), dot(y));
      const loss = (f: readonly number[]): number =>
        y.reduce((s, v, i) => s + (w[i] ?? NaN) * (v - (f[i] ?? NaN)) ** 2, 0);
      const rival = other.slice(0, y.length).sort((a, b) => a - b);
      assert.ok(loss(fitted) <= loss(rival) + 1e-9);
      const sorted = [...y].sort((a, b) => a - b);
      assertAllNear(isotonicRegression(sorted, w), sorted);
    }),
  );
  assert.equal(isotonicRegression([], []).length, 0);
  assert.throws(() => isotonicRegression([1], [0]), /weight 0: got 0/);
});
