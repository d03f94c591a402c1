// Properties of the advantage estimators: what may change the result, and what must not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { adaptiveLambda, type AdvantageInput, type Estimator, estimateAdvantages } from '../../rl/gae.ts';
import { assertAllNear, assertNear } from './near.ts';

interface Token {
  readonly reward: number;
  readonly value: number;
}
interface Turn {
  readonly tokens: readonly Token[];
  readonly observation: readonly number[]; // values at masked positions
}

const real = fc.double({ min: -2, max: 2, noNaN: true });
const token: fc.Arbitrary<Token> = fc.record({ reward: real, value: real });
const anyValue = fc.oneof(real, fc.constantFrom(NaN, Infinity, 1e6));
const turn: fc.Arbitrary<Turn> = fc.record({
  tokens: fc.array(token, { minLength: 1, maxLength: 4 }),
  observation: fc.array(anyValue, { maxLength: 3 }),
});
const turns = fc.array(turn, { minLength: 1, maxLength: 5 });
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const settings = fc.record({
  gamma: unit,
  lambda: unit,
  criticLambda: fc.option(unit, { nil: null }),
  terminated: fc.boolean(),
  bootstrapValue: real,
});
type Settings = Pick<AdvantageInput, 'gamma' | 'lambda' | 'criticLambda' | 'terminated' | 'bootstrapValue'>;
const plain: Settings = { gamma: 1, lambda: 0.9, criticLambda: null, terminated: true, bootstrapValue: 0 };
const estimators: readonly Estimator[] = ['tb', 'token', 'turn'];

function pack(list: readonly Turn[], s: Settings): AdvantageInput {
  const rewards: number[] = [];
  const values: number[] = [];
  const actionMask: number[] = [];
  const turnIds: number[] = [];
  list.forEach(({ tokens, observation }, k) => {
    for (const t of tokens) {
      rewards.push(t.reward);
      values.push(t.value);
      actionMask.push(1);
      turnIds.push(k + 1);
    }
    for (const v of observation) {
      rewards.push(0);
      values.push(v);
      actionMask.push(0);
      turnIds.push(-1);
    }
  });
  return { rewards, values, actionMask, turnIds, ...s };
}

/** Advantages and returns on the action tokens alone. */
function onActions(estimator: Estimator, input: AdvantageInput): { a: number[]; r: number[] } {
  const { advantages, returns } = estimateAdvantages({ estimator, ...input });
  const keep = (x: Float64Array): number[] => [...x].filter((_, t) => input.actionMask[t] === 1);
  return { a: keep(advantages), r: keep(returns) };
}

function assertSame(estimator: Estimator, x: AdvantageInput, y: AdvantageInput): void {
  const one = onActions(estimator, x);
  const two = onActions(estimator, y);
  assertAllNear(one.a, two.a, `${estimator} advantages`);
  assertAllNear(one.r, two.r, `${estimator} returns`);
}

function firstIndices(list: readonly Turn[]): number[] {
  let start = 0;
  return list.map(({ tokens }) => (start += tokens.length) - tokens.length);
}

test('tb: golden values at gamma .99, lambda .9', () => {
  const input: AdvantageInput = {
    rewards: [0, 0, 0.3, 0, 0, -0.2, 0, 1],
    values: [0.1, 0.25, 0.4, 9.9, 0.55, 0.7, 9.9, 0.85],
    actionMask: [1, 1, 1, 0, 1, 1, 0, 1],
    turnIds: [1, 1, 1, -1, 2, 2, -1, 3],
    gamma: 0.99,
    lambda: 0.9,
    criticLambda: null,
    terminated: true,
    bootstrapValue: 0,
  };
  const out = onActions('tb', input);
  assertAllNear(out.a, [0.94510865, 0.79510865, 0.64510865, 0.22515, 0.07515, 0.15]);
  assertAllNear(out.r, [1.04510865, 1.04510865, 1.04510865, 0.77515, 0.77515, 1]);
  const cut = onActions('tb', { ...input, terminated: false, bootstrapValue: 0.85 });
  assertNear(cut.a.at(-1) ?? NaN, 0.9915);
});

test('each estimator equals its closed form: a target per turn, minus the baseline', () => {
  fc.assert(
    fc.property(turns, settings, (list, s) => {
      const got = onActions('tb', pack(list, s));
      let nextValue = s.terminated ? 0 : s.bootstrapValue;
      let nextAdvantage = 0;
      const expected: number[] = [];
      for (const { tokens } of [...list].reverse()) {
        const after = s.gamma * (nextValue + s.lambda * nextAdvantage);
        const advantages = tokens.map(
          (t, j) => tokens.slice(j).reduce((sum, x) => sum + x.reward, 0) + after - t.value,
        );
        expected.unshift(...advantages);
        nextAdvantage = advantages[0] ?? NaN;
        nextValue = tokens[0]?.value ?? NaN;
      }
      assertAllNear(got.a, expected);
    }),
  );
});

test('values of observations never matter, be they NaN', () => {
  fc.assert(
    fc.property(turns, settings, anyValue, (list, s, other) => {
      const changed = list.map((t) => ({ ...t, observation: t.observation.map(() => other) }));
      for (const e of estimators) assertSame(e, pack(list, s), pack(changed, s));
    }),
  );
});

test('inserting or deleting observation tokens changes nothing', () => {
  fc.assert(
    fc.property(turns, settings, fc.nat({ max: 3 }), (list, s, length) => {
      const changed = list.map((t) => ({ ...t, observation: new Array<number>(length).fill(7) }));
      const withPrompt = pack([{ tokens: [], observation: [3, 3] }, ...changed], s);
      for (const e of estimators) assertSame(e, pack(list, s), withPrompt);
    }),
  );
});

test('masked positions get 0, and a reward there is refused', () => {
  fc.assert(
    fc.property(turns, settings, fc.constantFrom(1, -0.5, NaN, Infinity), (list, s, reward) => {
      const input = pack([...list, { tokens: [], observation: [0.3] }], s);
      const last = input.rewards.length - 1;
      for (const estimator of estimators) {
        const out = estimateAdvantages({ estimator, ...input });
        for (let t = 0; t <= last; t++) {
          if (input.actionMask[t] === 0) assert.deepEqual([out.advantages[t], out.returns[t]], [0, 0]);
        }
        const rewards = [...Array.from(input.rewards).slice(0, -1), reward];
        assert.throws(() => estimateAdvantages({ estimator, ...input, rewards }), /reward .* on masked token/);
      }
    }),
  );
});

test('gamma = lambda = 1: tb equals token GAE', () => {
  fc.assert(
    fc.property(turns, settings, (list, s) => {
      const input = pack(list, { ...s, gamma: 1, lambda: 1, criticLambda: 1 });
      const tb = onActions('tb', input);
      const byToken = onActions('token', input);
      assertAllNear(tb.a, byToken.a);
      assertAllNear(tb.r, byToken.r);
    }),
  );
});

test('one-token turns: all three are equal', () => {
  fc.assert(
    fc.property(turns, settings, (list, s) => {
      const input = pack(
        list.map((t) => ({ ...t, tokens: t.tokens.slice(0, 1) })),
        s,
      );
      const tb = onActions('tb', input);
      for (const e of ['token', 'turn'] as const) {
        assertAllNear(onActions(e, input).a, tb.a, e);
        assertAllNear(onActions(e, input).r, tb.r, e);
      }
    }),
  );
});

test('adjacent turns without an observation between still split', () => {
  const input = pack(
    [
      { tokens: [{ reward: 0, value: 0 }], observation: [] },
      { tokens: [{ reward: 1, value: 0 }], observation: [] },
    ],
    { ...plain, gamma: 0.5, lambda: 1 },
  );
  assertAllNear(onActions('tb', input).a, [0.5, 1]);
  assertAllNear(onActions('tb', { ...input, turnIds: [1, 1] }).a, [1, 1]);
});

test('a turn with zero reward is a turn; one turn across a mask gap is one', () => {
  const input: AdvantageInput = {
    ...{ rewards: [0, 0, 1], values: [0, 9, 0], actionMask: [1, 0, 1], turnIds: [4, -1, 4] },
    ...{ gamma: 0.5, lambda: 1, criticLambda: null, terminated: true, bootstrapValue: 0 },
  };
  assertAllNear(onActions('tb', input).a, [1, 1]);
  assertAllNear(onActions('token', input).a, [0.5, 1]);
});

test("a turn's length does not shrink upstream credit", () => {
  fc.assert(
    fc.property(turns, settings, fc.array(real, { minLength: 1, maxLength: 20 }), (list, s, values) => {
      const last = list.at(-1);
      assert.ok(last);
      const extra = values.map((value) => ({ reward: 0, value }));
      const [head, ...tail] = last.tokens;
      assert.ok(head);
      const longer = [...list.slice(0, -1), { ...last, tokens: [head, ...extra, ...tail] }];
      const upstream = list.slice(0, -1).reduce((n, t) => n + t.tokens.length, 0) + 1;
      const before = onActions('tb', pack(list, s));
      const after = onActions('tb', pack(longer, s));
      assertAllNear(after.a.slice(0, upstream), before.a.slice(0, upstream));
    }),
  );
});

test("a turn's first token equals turn GAE, which broadcasts it and returns 0 off first tokens", () => {
  fc.assert(
    fc.property(turns, settings, (list, s) => {
      const input = pack(list, s);
      const tb = onActions('tb', input);
      const byTurn = onActions('turn', input);
      const firsts = firstIndices(list);
      list.forEach(({ tokens }, k) => {
        const first = firsts[k] ?? NaN;
        tokens.forEach((_, j) => {
          assertNear(byTurn.a[first + j] ?? NaN, tb.a[first] ?? NaN);
          assertNear(byTurn.r[first + j] ?? NaN, j === 0 ? (tb.r[first] ?? NaN) : 0);
        });
      });
    }),
  );
});

test('criticLambda only enters the returns, lambda only the advantages', () => {
  fc.assert(
    fc.property(turns, settings, unit, (list, s, critic) => {
      for (const e of estimators) {
        const both = onActions(e, pack(list, { ...s, criticLambda: critic }));
        assertAllNear(both.a, onActions(e, pack(list, { ...s, criticLambda: null })).a);
        assertAllNear(both.r, onActions(e, pack(list, { ...s, lambda: critic, criticLambda: null })).r);
      }
    }),
  );
});

test('returns with lambda 1, gamma 1 are the rewards to go', () => {
  fc.assert(
    fc.property(turns, (list) => {
      const rewards = list.flatMap((t) => t.tokens.map((x) => x.reward));
      const toGo = rewards.map((_, i) => rewards.slice(i).reduce((sum, r) => sum + r, 0));
      for (const e of ['tb', 'token'] as const) {
        assertAllNear(onActions(e, pack(list, { ...plain, criticLambda: 1 })).r, toGo);
      }
    }),
  );
});

test('terminated ignores the bootstrap value; truncated adds gamma * V(s_T) at the last token', () => {
  fc.assert(
    fc.property(turns, settings, (list, s) => {
      const end = pack(list, { ...s, terminated: true, bootstrapValue: NaN });
      const cut = pack(list, { ...s, terminated: false });
      for (const e of ['tb', 'token'] as const) {
        const difference = (onActions(e, cut).a.at(-1) ?? NaN) - (onActions(e, end).a.at(-1) ?? NaN);
        assertNear(difference, s.gamma * s.bootstrapValue);
      }
    }),
  );
});

test('no tokens, no action tokens', () => {
  for (const estimator of estimators) {
    const none = { rewards: [], values: [], actionMask: [], turnIds: [] };
    assert.equal(estimateAdvantages({ estimator, ...none, ...plain }).advantages.length, 0);
    const masked = { rewards: [0, 0], values: [NaN, 1], actionMask: [0, 0], turnIds: [-1, -1] };
    assert.deepEqual([...estimateAdvantages({ estimator, ...masked, ...plain }).returns], [0, 0]);
  }
});

test('wrong input is refused by name', () => {
  const good = { rewards: [0], values: [0], actionMask: [1], turnIds: [1], estimator: 'tb' as const, ...plain };
  const refuse = (change: Partial<AdvantageInput>, message: RegExp): void => {
    assert.throws(() => estimateAdvantages({ ...good, ...change }), message);
  };
  refuse({ values: [0, 0] }, /values 2.*need equal lengths/);
  refuse({ values: [NaN] }, /value of token 0: got NaN/);
  refuse({ rewards: [Infinity] }, /reward of token 0: got Infinity/);
  refuse({ actionMask: [2] }, /actionMask: got 2/);
  refuse({ turnIds: [-1] }, /turn id of action token 0: got -1/);
  refuse({ rewards: [0, 0], values: [0, 0], actionMask: [1, 1], turnIds: [2, 1] }, /turn id 1 after 2/);
  refuse({ gamma: 1.1 }, /gamma: got 1.1/);
  refuse({ lambda: NaN }, /lambda: got NaN/);
  refuse({ criticLambda: -1 }, /criticLambda: got -1/);
  refuse({ terminated: false, bootstrapValue: NaN }, /bootstrapValue: got NaN/);
});

test('adaptiveLambda: 1 - 1/(alpha turns), clamped', () => {
  assertNear(adaptiveLambda(2, 4), 0.875);
  assert.equal(adaptiveLambda(2, 0), 0);
  assert.equal(adaptiveLambda(0.1, 3), 0);
  assert.throws(() => adaptiveLambda(0, 3), /alpha: got 0/);
});
