// Movement table, promotion, stop rules and learning-rate schedule.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movementTable, taskState } from '../../rl/movement-table.ts';
import { decidePromotion, type PromotionPair } from '../../rl/promotion.ts';
import { learningRate } from '../../rl/schedule.ts';
import { checkStopRules, DEFAULT_STOP_LIMITS, type StopState } from '../../rl/stop-rules.ts';
import { assertNear } from './near.ts';

test('task states', () => {
  assert.equal(taskState(null), null);
  assert.equal(taskState({ strict: true, progress: 1 }), 'strict');
  assert.equal(taskState({ strict: false, progress: 1 }), 'partial'); // all checks, no `done`
  assert.equal(taskState({ strict: false, progress: 0 }), 'none');
  assert.throws(() => taskState({ strict: false, progress: NaN }), /progress: got NaN/);
});

test('movement table counts nine cells, leaves no-verdict tasks beside, and nets strict moves', () => {
  const table = movementTable([
    { before: 'none', after: 'strict' },
    { before: 'partial', after: 'strict' },
    { before: 'partial', after: 'strict' },
    { before: 'strict', after: 'strict' },
    { before: 'strict', after: 'partial' },
    { before: 'none', after: 'partial' },
    { before: null, after: 'strict' },
    { before: 'strict', after: null },
  ]);
  assert.deepEqual(table.counts, {
    none: { none: 0, partial: 1, strict: 1 },
    partial: { none: 0, partial: 0, strict: 2 },
    strict: { none: 0, partial: 1, strict: 1 },
  });
  assert.equal(table.noVerdict, 2);
  assert.deepEqual([table.gained, table.lost, table.net], [3, 1, 2]);
  assertNear(table.p, 0.625);
  assert.equal(movementTable([]).p, 1);
});

function pairs(both: number, gained: number, lost: number, neither: number): PromotionPair[] {
  const times = (n: number, best: boolean, candidate: boolean): PromotionPair[] =>
    Array.from({ length: n }, () => ({ best, candidate }));
  return [
    ...times(both, true, true),
    ...times(gained, false, true),
    ...times(lost, true, false),
    ...times(neither, false, false),
  ];
}

test('promotion: refused by the test, or by the rate; otherwise promoted', () => {
  assert.equal(decidePromotion(null).promoted, true);
  const better = decidePromotion(pairs(10, 5, 0, 5));
  assert.deepEqual([better.promoted, better.reason, better.newBest], [true, 'not-worse', true]);
  const equal = decidePromotion(pairs(10, 2, 2, 5));
  assert.deepEqual([equal.promoted, equal.newBest], [true, false]);
  // 5 lost of 5 discordant: p = 1/32
  assert.deepEqual([decidePromotion(pairs(200, 0, 5, 200)).reason], ['significant-loss']);
  assert.deepEqual([decidePromotion(pairs(200, 0, 4, 200)).promoted], [true]); // p = 1/16
  assert.equal(decidePromotion(pairs(5, 0, 2, 13)).reason, 'rate-below-best'); // 0.10 below, p = 1/4
});

test('promotion: exactly 0.05 below is not more than 0.05 below', () => {
  const decision = decidePromotion(pairs(10, 0, 1, 9)); // 0.55 against 0.50
  assert.ok((decision.bestRate ?? 0) - (decision.candidateRate ?? 0) > 0.05); // in floating point
  assert.equal(decision.promoted, true);
});

test('promotion: pairs without verdict stay out of the test; none at all refuses', () => {
  const decision = decidePromotion([
    { best: true, candidate: null },
    { best: null, candidate: false },
    ...pairs(3, 1, 0, 0),
  ]);
  assert.deepEqual([decision.gained, decision.lost], [1, 0]);
  assert.deepEqual([decision.candidateRate, decision.bestRate], [0.8, 0.8]);
  assert.equal(decidePromotion([{ best: true, candidate: null }]).reason, 'no-verdicts');
  assert.equal(decidePromotion([]).reason, 'no-verdicts');
});

const calm: StopState = {
  selectionStrictRate: 0.4,
  generationsWithoutNewBest: 2,
  stageKl: 0.5,
  tokensPerTurn: 9.9,
  stageStartTokensPerTurn: 5,
  turnLimitShare: 0.19,
  spent: { seconds: 10, tokens: 10, episodes: 10 },
};

test('stop rules: each fires at its own limit, none before', () => {
  const limits = { ...DEFAULT_STOP_LIMITS, strictTarget: 0.8, budget: { seconds: 11, tokens: 12, episodes: 13 } };
  assert.deepEqual(checkStopRules(calm, limits), { stop: false });
  const fires = (change: Partial<StopState>, reason: string, measured: number): void => {
    const decision = checkStopRules({ ...calm, ...change }, limits);
    assert.ok(decision.stop, reason);
    assert.deepEqual([decision.reason, decision.measured], [reason, measured]);
  };
  fires({ selectionStrictRate: 0.8 }, 'strict-target', 0.8);
  fires({ generationsWithoutNewBest: 3 }, 'no-new-best', 3);
  fires({ stageKl: 0.51 }, 'stage-kl', 0.51);
  fires({ tokensPerTurn: 10 }, 'tokens-per-turn', 2);
  fires({ turnLimitShare: 0.2 }, 'turn-limit-share', 0.2);
  fires({ spent: { ...calm.spent, seconds: 11 } }, 'budget-seconds', 11);
  fires({ spent: { ...calm.spent, tokens: 12 } }, 'budget-tokens', 12);
  fires({ spent: { ...calm.spent, episodes: 13 } }, 'budget-episodes', 13);
  fires({ stageKl: 9, selectionStrictRate: 1 }, 'strict-target', 1); // the first in order
});

test('stop rules: what is not measured does not fire', () => {
  const unknown = {
    selectionStrictRate: null,
    stageKl: null,
    tokensPerTurn: 99,
    stageStartTokensPerTurn: null,
    turnLimitShare: null,
  };
  assert.deepEqual(checkStopRules({ ...calm, ...unknown }), { stop: false });
  assert.deepEqual(checkStopRules({ ...calm, selectionStrictRate: 1 }), { stop: false }); // no target by default
});

test('schedule: warm-up, constant, linear decay to a fraction', () => {
  const constant = { kind: 'constant', base: 2, warmupSteps: 4 } as const;
  assert.deepEqual([0, 1, 3, 4, 99].map((s) => learningRate(constant, s)), [0.5, 1, 2, 2, 2]); // prettier-ignore
  const linear = { kind: 'linear', base: 1, warmupSteps: 2, totalSteps: 12, finalFraction: 0.1 } as const;
  assert.deepEqual([0, 1, 2, 7, 12, 50].map((s) => learningRate(linear, s)), [0.5, 1, 1, 0.55, 0.1, 0.1]); // prettier-ignore
  assert.equal(learningRate({ ...linear, warmupSteps: 0 }, 0), 1);
  assert.equal(learningRate({ ...linear, warmupSteps: 12 }, 12), 0.1);
  assert.throws(() => learningRate({ ...linear, warmupSteps: 13 }, 0), /warmupSteps: got 13/);
  assert.throws(() => learningRate(constant, -1), /step: got -1/);
});
