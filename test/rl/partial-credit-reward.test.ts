// Plain partial credit: SPR's costs for all, and no gap between success and failure.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partialCreditReward } from '../../rl/partial-credit-reward.ts';
import { successPrioritizedReward } from '../../rl/success-prioritized-reward.ts';
import { assertNear } from './near.ts';

const settings = { turnCost: 0.2, partialScale: 0.5, limitPenalty: 0.15 };
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const length = fc
  .tuple(fc.integer({ min: 1, max: 50 }), fc.nat())
  .map(([limit, n]) => [n % (limit + 1), limit] as const);

test('values by hand', () => {
  const of = (progress: number, turns: number, limitHit: boolean): number =>
    partialCreditReward({ progress, turns, turnLimit: 8, limitHit }, settings);
  assertNear(of(1, 4, false), 0.9);
  assertNear(of(0.5, 4, false), 0.4);
  assertNear(of(0.5, 8, true), 0.5 - 0.2 - 0.15);
  assertNear(of(0, 8, true), -0.35);
});

test('a success is worth what SPR pays for it', () => {
  fc.assert(
    fc.property(length, ([turns, turnLimit]) => {
      const plain = partialCreditReward({ progress: 1, turns, turnLimit, limitHit: false }, settings);
      const outcome = { strict: true, progress: 1, turns, turnLimit, limitHit: false };
      assertNear(plain, successPrioritizedReward(outcome, settings));
    }),
  );
});

test('grows by exactly the progress, falls by exactly the limit penalty', () => {
  fc.assert(
    fc.property(length, unit, unit, ([turns, turnLimit], p, q) => {
      const of = (progress: number, limitHit: boolean): number =>
        partialCreditReward({ progress, turns, turnLimit, limitHit }, settings);
      assertNear(of(p, false) - of(q, false), p - q);
      assertNear(of(p, false) - of(p, true), settings.limitPenalty);
    }),
  );
});

test('a quick failure outranks a slow success: the order that SPR keeps is gone', () => {
  const failure = partialCreditReward({ progress: 0.9, turns: 1, turnLimit: 9, limitHit: false }, settings);
  const success = partialCreditReward({ progress: 1, turns: 9, turnLimit: 9, limitHit: false }, settings);
  assert.ok(failure > success, `${failure} vs ${success}`);
});

test('refuses what is no episode', () => {
  const episode = { progress: 0.5, turns: 2, turnLimit: 4, limitHit: false };
  assert.throws(() => partialCreditReward({ ...episode, turns: 5 }, settings), /got 5 turns; need at most the limit 4/);
  assert.throws(() => partialCreditReward({ ...episode, progress: 1.1 }, settings), /progress/);
  assert.throws(() => partialCreditReward({ ...episode, progress: NaN }, settings), /progress/);
  assert.throws(() => partialCreditReward({ ...episode, turnLimit: 0 }, settings), /turnLimit/);
  assert.throws(() => partialCreditReward(episode, { ...settings, turnCost: 2 }), /turnCost/);
});
