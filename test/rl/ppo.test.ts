// Policy loss: known values, and the gradient against finite differences on every branch.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskedPolicyLoss, policyLoss, type PolicyLossInput } from '../../rl/ppo.ts';
import { assertAllNear, assertNear, slope } from './near.ts';

const settings = { clipLow: 0.2, clipHigh: 0.28, dualClip: 3 };

function one(
  logRatio: number,
  advantage: number,
  change: Partial<PolicyLossInput> = {},
): { loss: number; gradient: number } {
  const { perToken, gradient } = policyLoss({
    ...{ logProbs: [logRatio - 1], oldLogProbs: [-1], advantages: [advantage], ...settings },
    ...change,
  });
  return { loss: perToken[0] ?? NaN, gradient: gradient[0] ?? NaN };
}

test('known values on each branch', () => {
  const cases: [ratio: number, advantage: number, loss: number, gradient: number][] = [
    [1.349859, 1, -1.28, 0],
    [0.606531, 1, -0.606531, -0.606531],
    [4, 1, -1.28, 0],
    [1.349859, -1, 1.349859, 1.349859],
    [0.606531, -1, 0.8, 0],
    [4, -1, 3, 0],
    [1, 0, 0, 0],
  ];
  for (const [ratio, advantage, loss, gradient] of cases) {
    const got = one(Math.log(ratio), advantage);
    assertNear(got.loss, loss, `loss at ${ratio}, ${advantage}`);
    assertNear(got.gradient, gradient, `gradient at ${ratio}, ${advantage}`);
  }
});

test('the gradient is the slope of the loss, away from the kinks', () => {
  const kinks = [Math.log(0.8), Math.log(1.28), Math.log(3), 20, -20];
  const near = fc.double({ min: -2, max: 2, noNaN: true });
  const far = fc.double({ min: 19, max: 23, noNaN: true }).chain((x) => fc.constantFrom(x, -x));
  fc.assert(
    fc.property(
      fc.oneof(near, far),
      fc.double({ min: -3, max: 3, noNaN: true }),
      fc.constantFrom(3, null),
      fc.double({ min: 0, max: 2, noNaN: true }),
      (x, advantage, dualClip, weight) => {
        fc.pre(kinks.every((kink) => Math.abs(x - kink) > 1e-4));
        const change = { dualClip, importanceWeights: [weight] };
        const numeric = slope((at) => one(at, advantage, change).loss, x);
        assertNear(one(x, advantage, change).gradient, numeric, `gradient at ${x}, ${advantage}`, 1e-6);
      },
    ),
    { numRuns: 1000 },
  );
});

test('beyond the clamp: no gradient, and the loss is that of exp(20)', () => {
  assert.deepEqual(one(25, -1, { dualClip: null }), { loss: Math.exp(20), gradient: 0 });
  assert.equal(one(19.9, -1, { dualClip: null }).gradient, one(19.9, -1, { dualClip: null }).loss);
  assert.equal(one(-25, 1).gradient, 0);
});

test('dual clip only lowers the loss, only for negative advantages', () => {
  fc.assert(
    fc.property(fc.double({ min: -3, max: 3, noNaN: true }), fc.double({ min: -3, max: 3, noNaN: true }), (x, a) => {
      const dual = one(x, a).loss;
      const off = one(x, a, { dualClip: null }).loss;
      assertNear(dual, a < 0 ? Math.min(off, -3 * a) : off);
    }),
  );
});

test('fractions and weights', () => {
  const input = { oldLogProbs: [0, 0, 0, 0], advantages: [1, 1, -1, -1], ...settings };
  const logProbs = [1, 0, -1, 2];
  const out = policyLoss({ logProbs, ...input });
  assert.equal(out.clipFraction, 0.5);
  assert.equal(out.dualClipFraction, 0.25);
  const weighted = policyLoss({ logProbs, ...input, importanceWeights: [2, 2, 2, 2] });
  assertAllNear(weighted.perToken, out.perToken.map((l) => 2 * l)); // prettier-ignore
  assertAllNear(weighted.gradient, out.gradient.map((g) => 2 * g)); // prettier-ignore
});

test('masked rows: what is masked may be NaN; the mean is over action tokens', () => {
  const out = maskedPolicyLoss({
    ...{ logProbs: [NaN, -1, Infinity, -2], oldLogProbs: [0, -1, NaN, -2], advantages: [NaN, 1, 1, 3] },
    ...{ actionMask: [0, 1, 0, 1], importanceWeights: [NaN, 1, NaN, 0.5], ...settings },
  });
  assertAllNear(out.perToken, [0, -1, 0, -1.5]);
  assertAllNear(out.gradient, [0, -1, 0, -1.5]);
  assert.equal(out.tokenMean, -1.25);
  const none = { logProbs: [NaN], oldLogProbs: [NaN], advantages: [NaN], actionMask: [0], ...settings };
  assert.equal(maskedPolicyLoss(none).tokenMean, null);
  assert.deepEqual([...maskedPolicyLoss(none).perToken], [0]);
});

test('no tokens', () => {
  const out = policyLoss({ logProbs: [], oldLogProbs: [], advantages: [], ...settings });
  assert.deepEqual([out.perToken.length, out.clipFraction, out.dualClipFraction], [0, 0, 0]);
});

test('a selected NaN stops with its place; so do wrong settings', () => {
  const input = { logProbs: [-1, NaN], oldLogProbs: [-1, -1], advantages: [1, 1], ...settings };
  assert.throws(() => policyLoss(input), /logp of token 1: got NaN/);
  assert.throws(() => policyLoss({ ...input, advantages: [1] }), /advantages 1/);
  assert.throws(() => one(0, 1, { clipLow: 1.5 }), /clipLow: got 1.5/);
  assert.throws(() => one(0, 1, { dualClip: 0.5 }), /dualClip: got 0.5/);
});
