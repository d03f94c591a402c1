// FDR: the shaping telescopes, pays where progress is made, and cannot reward what it cannot see.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { potentials, shapingRewards, tokenRewards, turnRewards } from '../../rl/family-dense-reward.ts';
import { assertAllNear, assertNear } from './near.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const probes = fc.array(fc.option(unit, { nil: null }), { minLength: 1, maxLength: 10 });

test('sum gamma^(k-1) F_k = -Phi_0 for a terminated episode', () => {
  fc.assert(
    fc.property(probes, unit, unit, (progress, gamma, familyWeight) => {
      if (progress.length < 2) return;
      const phi = potentials({ progress, familyWeight, terminated: true });
      const sum = shapingRewards(phi, gamma).reduce((s, f, k) => s + gamma ** k * f, 0);
      assertNear(sum, -(phi[0] ?? NaN));
    }),
  );
});

test('progress made in turn 3 alone pays in turn 3', () => {
  const phi = potentials({ progress: [0, 0, 0, 0.6, 0.6, 0.6], familyWeight: 0.5, terminated: true });
  assertAllNear(shapingRewards(phi, 1), [0, 0, 0.3, 0, -0.3]);
});

test('a failed probe takes the former value, 0 before the first', () => {
  const phi = potentials({ progress: [null, 0.4, null, 0.8, null], familyWeight: 1, terminated: false });
  assertAllNear(phi, [0, 0.4, 0.4, 0.8, 0.8]);
});

test('terminal potential is 0; a truncated trajectory keeps the measured one', () => {
  const progress = [0.2, 0.7];
  assertAllNear(potentials({ progress, familyWeight: 1, terminated: true }), [0.2, 0]);
  assertAllNear(potentials({ progress, familyWeight: 1, terminated: false }), [0.2, 0.7]);
});

test('turnRewards: R on the last turn; without probes nothing else', () => {
  const base = { turns: 3, familyWeight: 0.5, gamma: 1, terminated: true, reward: 0.9 };
  assertAllNear(turnRewards({ ...base, probes: null }), [0, 0, 0.9]);
  assertAllNear(turnRewards({ ...base, probes: [0, 0.5, 0.5, 1] }), [0.25, 0, 0.9 - 0.25]);
  assertAllNear(turnRewards({ ...base, turns: 0, probes: [0.5] }), []);
  assertAllNear(turnRewards({ ...base, terminated: false, reward: 0, probes: [0, 0.5, 0.5, 1] }), [0.25, 0, 0.25]);
});

test('turnRewards refuses a miscounted probe list and a reward before the verdict', () => {
  const base = { turns: 3, familyWeight: 0.5, gamma: 1, terminated: true, reward: 0.9 };
  assert.throws(() => turnRewards({ ...base, probes: [0, 1] }), /got 2 probes; need 4/);
  assert.throws(() => turnRewards({ ...base, terminated: false, probes: null }), /truncated trajectory; need 0/);
  assert.throws(() => potentials({ progress: [2], familyWeight: 1, terminated: true }), /after turn 0: got 2/);
});

test("tokenRewards puts each turn's reward on its last action token", () => {
  const mask = [0, 1, 1, 0, 1, 1, 0];
  assertAllNear(tokenRewards([0.1, 0.9], mask, [-1, 1, 1, -1, 2, 2, -1]), [0, 0, 0.1, 0, 0, 0.9, 0]);
  assertAllNear(tokenRewards([0.1, 0.9], [1, 1], [1, 2]), [0.1, 0.9]);
  assert.throws(() => tokenRewards([0.1], mask, [-1, 1, 1, -1, 2, 2, -1]), /got 1 turn rewards/);
  assert.throws(() => tokenRewards([1, 2, 3], mask, [-1, 1, 1, -1, 2, 2, -1]), /got 3 turn rewards; need 2/);
});
