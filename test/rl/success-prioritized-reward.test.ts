// SPR: strict success before partial credit, whatever the settings that pass the load check.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  assertRewardOrdering,
  isStrict,
  progressOfPlainReward,
  rawProgress,
  rewardOrderingProblem,
  type RewardSettings,
  successPrioritizedReward,
} from '../../rl/success-prioritized-reward.ts';
import { assertNear } from './near.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const settings: fc.Arbitrary<RewardSettings> = fc.record({ turnCost: unit, partialScale: unit, limitPenalty: unit });
const defaults: RewardSettings = { turnCost: 0.2, partialScale: 0.5, limitPenalty: 0.15 };
const shortEpisode = fc
  .tuple(fc.integer({ min: 1, max: 50 }), fc.nat())
  .map(([turnLimit, n]) => ({ turnLimit, turns: 1 + (n % turnLimit) }));

test('every strict success is above every failure, also after a monotone transform that the check accepts', () => {
  const scale = fc.double({ min: 0.1, max: 5, noNaN: true });
  const transforms = fc.record({ scale, shift: fc.double({ min: -1, max: 1, noNaN: true }), low: unit, span: unit });
  fc.assert(
    fc.property(settings, shortEpisode, shortEpisode, unit, fc.boolean(), transforms, (s, won, failed, p, limit, f) => {
      const transform = (r: number): number => Math.min(Math.max(f.scale * r + f.shift, f.low), f.low + f.span);
      const turnLimit = Math.max(won.turnLimit, failed.turnLimit);
      if (rewardOrderingProblem({ ...s, turnLimit, gamma: 1, transform }) !== null) return;
      const success = successPrioritizedReward({ strict: true, progress: 1, limitHit: false, ...won }, s);
      const failure = successPrioritizedReward({ strict: false, progress: p, limitHit: limit, ...failed }, s);
      assert.ok(transform(success) > transform(failure), `${success} vs ${failure}`);
    }),
    { numRuns: 500 },
  );
});

test('the discounted return of turn 1 keeps the order', () => {
  const gamma = fc.double({ min: 0.9, max: 1, noNaN: true });
  fc.assert(
    fc.property(settings, gamma, fc.integer({ min: 1, max: 20 }), fc.nat(), fc.nat(), unit, (s, g, limit, a, b, p) => {
      if (rewardOrderingProblem({ ...s, turnLimit: limit, gamma: g }) !== null) return;
      const [won, failed] = [1 + (a % limit), 1 + (b % limit)];
      const success = successPrioritizedReward(
        { strict: true, progress: 1, turns: won, turnLimit: limit, limitHit: false },
        s,
      );
      const failure = successPrioritizedReward(
        { strict: false, progress: p, turns: failed, turnLimit: limit, limitHit: false },
        s,
      );
      assert.ok(g ** (won - 1) * success > g ** (failed - 1) * failure);
    }),
    { numRuns: 500 },
  );
});

test('defaults: success >= 0.8, failure <= 0.5, at their bounds', () => {
  const at = (strict: boolean, progress: number, turns: number, limitHit = false): number =>
    successPrioritizedReward({ strict, progress, turns, turnLimit: 10, limitHit }, defaults);
  assertNear(at(true, 1, 10), 0.8);
  assertNear(at(true, 1, 1), 0.98);
  assertNear(at(false, 1, 3), 0.5);
  assertNear(at(false, 0, 10, true), -0.15);
});

test('the same checks: done now >= done later >= limit, strictly if all hold', () => {
  const cost = fc.double({ min: 0.001, max: 0.4, noNaN: true });
  const positive = fc.double({ min: 0, max: 0.4, noNaN: true });
  fc.assert(
    fc.property(
      cost,
      positive,
      positive,
      fc.integer({ min: 2, max: 40 }),
      fc.nat(),
      unit,
      fc.boolean(),
      (c, b, d, limit, n, p, all) => {
        const s = { turnCost: c, partialScale: b, limitPenalty: d };
        const early = 1 + (n % (limit - 1));
        const end = (turns: number, done: boolean): number =>
          successPrioritizedReward(
            { strict: all && done, progress: all ? 1 : p, turns, turnLimit: limit, limitHit: !done },
            s,
          );
        const [now, later, cut] = [end(early, true), end(early + 1, true), end(limit, false)];
        assert.ok(now >= later && later >= cut);
        if (all) assert.ok(now > later && later > cut);
      },
    ),
  );
});

test('a configuration that breaks the order is refused with both numbers', () => {
  assert.doesNotThrow(() => assertRewardOrdering({ ...defaults, turnLimit: 30, gamma: 1 }));
  assert.throws(
    () => assertRewardOrdering({ ...defaults, turnLimit: 11, gamma: 0.9 }),
    /= 0\.2789\d*, b = 0\.5; need/, // 0.9^10 * 0.8
  );
  assert.throws(
    () => assertRewardOrdering({ ...defaults, partialScale: 0.8, turnLimit: 5, gamma: 1 }),
    /worst success 0\.8, best failure 0\.8/,
  );
  // Equal numbers are no order.
  assert.notEqual(
    rewardOrderingProblem({ turnCost: 0.5, partialScale: 0.25, limitPenalty: 0, turnLimit: 2, gamma: 0.5 }),
    null,
  );
  const clip = (r: number): number => Math.min(r, 0.4);
  assert.match(
    rewardOrderingProblem({ ...defaults, turnLimit: 5, gamma: 1, transform: clip }) ?? '',
    /worst success 0\.4/,
  );
});

test('raw progress: weighted share, exactly 1 when all checks pass', () => {
  const weights = fc.array(fc.double({ min: 0.001, max: 10, noNaN: true }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(weights, (w) => {
      assert.equal(rawProgress(w, w.map(() => 1)), 1); // prettier-ignore
      assert.equal(rawProgress(w, w.map(() => 0)), 0); // prettier-ignore
    }),
  );
  assertNear(rawProgress([1, 3], [0, 1]), 0.75);
  assert.throws(() => rawProgress([1, 0], [1, 1]), /weight 1: got 0/);
  assert.throws(() => rawProgress([], []), /no checks/);
  assert.throws(() => rawProgress([1], [0.5]), /check 0 = 0.5/);
  assert.throws(() => rawProgress([1], [1, 1]), /equal lengths/);
});

test('all checks without done is a failure with q = 1', () => {
  assert.equal(isStrict([1, 1], true), true);
  assert.equal(isStrict([1, 1], false), false);
  assert.equal(isStrict([1, 0], true), false);
  assert.equal(isStrict([], true), false);
});

test('a plain Harbor reward', () => {
  assert.deepEqual(progressOfPlainReward(1), { strict: true, progress: 1 });
  assert.deepEqual(progressOfPlainReward(2), { strict: true, progress: 1 });
  assert.deepEqual(progressOfPlainReward(0.999), { strict: false, progress: 0.999 });
  assert.deepEqual(progressOfPlainReward(-1), { strict: false, progress: 0 });
  assert.throws(() => progressOfPlainReward(NaN), /got NaN/);
});

test('impossible outcomes are refused', () => {
  const outcome = { strict: false, progress: 0.5, turns: 3, turnLimit: 5, limitHit: false };
  assert.throws(() => successPrioritizedReward({ ...outcome, turns: 6 }, defaults), /got 6 turns/);
  assert.throws(() => successPrioritizedReward({ ...outcome, progress: 1.5 }, defaults), /progress: got 1.5/);
  assert.throws(() => successPrioritizedReward(outcome, { ...defaults, limitPenalty: -1 }), /limitPenalty: got -1/);
});
