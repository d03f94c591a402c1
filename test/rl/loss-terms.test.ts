// Value loss, KL terms, importance weights and whitening, with gradients against finite differences.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { importanceWeights } from '../../rl/importance-weight.ts';
import { adaptiveKlCoefficient, klPenalty, klTerms } from '../../rl/kl.ts';
import { valueLoss } from '../../rl/value-loss.ts';
import { hasLearningSignal, whiten, whitenSelected } from '../../rl/whiten.ts';
import { assertAllNear, assertNear, slope } from './near.ts';

const real = fc.double({ min: -3, max: 3, noNaN: true });

function value(v: number, old: number, target: number, clip: number | null): { loss: number; gradient: number } {
  const { perToken, gradient } = valueLoss({ values: [v], oldValues: [old], returns: [target], clip });
  return { loss: perToken[0] ?? NaN, gradient: gradient[0] ?? NaN };
}

test('value loss: gradient is the slope, clipped and plain', () => {
  fc.assert(
    fc.property(real, real, real, fc.constantFrom(0.2, 0.5, null), (v, old, target, clip) => {
      if (clip !== null) {
        const held = Math.min(Math.max(v, old - clip), old + clip);
        // Kinks: the clamp's ends, and where both errors are equal.
        fc.pre(Math.abs(Math.abs(v - old) - clip) > 1e-4);
        fc.pre(held === v || Math.abs(Math.abs(v - target) - Math.abs(held - target)) > 1e-4);
      }
      const numeric = slope((x) => value(x, old, target, clip).loss, v);
      assertNear(value(v, old, target, clip).gradient, numeric, 'gradient', 1e-6);
    }),
    { numRuns: 1000 },
  );
});

test('value loss: known values', () => {
  assertNear(value(1, 0, 0, 0.2).loss, 0.5); // moved away from R: the larger error counts
  assertNear(value(1, 0, 2, 0.2).loss, 0.5 * 1.8 ** 2); // moved towards R beyond the clip
  assert.equal(value(1, 0, 2, 0.2).gradient, 0);
  assertNear(value(1, NaN, 2, null).loss, 0.5); // plain reads no old value
  assert.throws(() => value(NaN, 0, 0, null), /value of token 0: got NaN/);
  assert.throws(() => value(0, 0, 0, -1), /clip: got -1/);
  assert.equal(valueLoss({ values: [], oldValues: [], returns: [], clip: 0.2 }).clipFraction, 0);
});

test('KL: k3 >= 0, 0 only at 0; gradient is the slope', () => {
  const x = fc.oneof(real, fc.double({ min: -25, max: 25, noNaN: true }));
  fc.assert(
    fc.property(x, (logRatio) => {
      fc.pre(Math.abs(Math.abs(logRatio) - 20) > 1e-3);
      const terms = klTerms(logRatio);
      assert.ok(terms.k3 >= 0);
      assertNear(terms.k3Gradient, slope((at) => klTerms(at).k3, logRatio), 'gradient', 1e-5); // prettier-ignore
    }),
    { numRuns: 500 },
  );
  assert.deepEqual(klTerms(0), { k1: 0, k2: 0, k3: 0, k3Gradient: 0 });
});

test('KL: known values, clamp, small x keeps its digits', () => {
  const terms = klTerms(0.1);
  assertAllNear([terms.k1, terms.k2, terms.k3], [0.1, 0.005, 0.00483741803595957]);
  assert.equal(klTerms(30).k1, 20);
  assert.equal(klTerms(-30).k3, klTerms(-20).k3);
  assert.equal(klTerms(-30).k3Gradient, 0);
  assert.ok(Math.abs(klTerms(1e-7).k3 / 5e-15 - 1) < 0.01);
  assert.throws(() => klTerms(NaN), /got NaN/);
});

test('KL penalty over tokens', () => {
  const out = klPenalty([-1, -2], [-1.1, -2]);
  assertAllNear(out.perToken, [0.00483741803595957, 0]);
  assertNear(out.mean ?? NaN, 0.00241870901797979);
  assert.equal(klPenalty([], []).mean, null);
});

test('adaptive KL coefficient moves by at most 20 %', () => {
  assertNear(adaptiveKlCoefficient(0.02, 0.1, 0.1), 0.02);
  assertNear(adaptiveKlCoefficient(0.02, 0.11, 0.1), 0.022);
  assertNear(adaptiveKlCoefficient(0.02, 9, 0.1), 0.024);
  assertNear(adaptiveKlCoefficient(0.02, 0, 0.1), 0.016);
  assert.throws(() => adaptiveKlCoefficient(0.02, 0.1, 0), /target: got 0/);
});

test('importance weights are cut at 2 and counted', () => {
  const out = importanceWeights([-1, -1, -1], [-1, -3, 0]);
  assertAllNear(out.weights, [1, 2, Math.exp(-1)]);
  assertNear(out.truncatedFraction, 1 / 3);
  assert.equal(importanceWeights([], []).mean, null);
  assert.throws(() => importanceWeights([NaN], [0]), /old logp of token 0/);
});

test('whitening: mean 0, variance 1; n = 1 as it is; n = 0 null', () => {
  const data = fc.array(fc.tuple(real, fc.constantFrom(0, 1)), { minLength: 0, maxLength: 20 });
  fc.assert(
    fc.property(data, (pairs) => {
      const advantages = pairs.map(([a, m]) => (m === 1 ? a : NaN));
      const mask = pairs.map(([, m]) => m);
      const chosen = pairs.filter(([, m]) => m === 1).map(([a]) => a);
      const out = whiten(advantages, mask);
      if (chosen.length === 0) return assert.equal(out, null);
      assert.ok(out);
      pairs.forEach(([, m], t) => assert.ok(m === 1 || out[t] === 0));
      const kept = [...out].filter((_, t) => mask[t] === 1);
      if (chosen.length === 1) return assert.deepEqual(kept, chosen);
      assert.ok(Math.abs(kept.reduce((s, x) => s + x, 0)) < 1e-6);
      const mean = chosen.reduce((s, x) => s + x, 0) / chosen.length;
      const variance = chosen.reduce((s, x) => s + (x - mean) ** 2, 0) / (chosen.length - 1);
      const got = kept.reduce((s, x) => s + x * x, 0) / (chosen.length - 1);
      assertNear(got, variance / (variance + 1e-8), 'variance', 1e-6);
    }),
  );
  assertAllNear(whitenSelected([3, 3, 3]) ?? [], [0, 0, 0]);
  assert.throws(() => whitenSelected([NaN]), /advantage 0: got NaN/);
});

test('no learning signal: all advantages of action tokens are 0', () => {
  assert.equal(hasLearningSignal([0, -0, NaN], [1, 1, 0]), false);
  assert.equal(hasLearningSignal([0, 1e-300], [1, 1]), true);
  assert.equal(hasLearningSignal([], []), false);
});
