// The random stream: the same for the same seed, unbiased, restorable, and well mixed between close seeds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomStream, restoreRandomStream } from '../../rl/random-stream.ts';

const seed = fc.nat({ max: Number.MAX_SAFE_INTEGER });

test('a seed fixes the stream; these numbers are part of every stored run', () => {
  const stream = randomStream(42);
  assert.deepEqual(
    [stream.uniform(), stream.uniform(), stream.int(1000)],
    [0.6381933244263981, 0.5458897665175111, 146],
  );
  assert.deepEqual(randomStream(42).shuffle([1, 2, 3, 4, 5]), [3, 1, 5, 2, 4]);
});

test('state and restore continue the stream, through JSON', () => {
  fc.assert(
    fc.property(seed, fc.nat({ max: 20 }), (s, skip) => {
      const stream = randomStream(s);
      for (let i = 0; i < skip; i++) stream.int(7);
      const copy = restoreRandomStream(JSON.parse(JSON.stringify(stream.state())) as [number, number, number, number]);
      for (let i = 0; i < 5; i++) assert.equal(copy.uniform(), stream.uniform());
    }),
  );
  assert.throws(() => restoreRandomStream([0, 0, 0, 0]), /not all 0/);
  assert.throws(() => restoreRandomStream([NaN, 1, 1, 1]), /four integers/);
});

test('uniform is in [0, 1) with a flat histogram, from the first number of each seed on', () => {
  const bins = new Array<number>(10).fill(0);
  for (let s = 0; s < 20_000; s++) {
    const u = randomStream(s).uniform();
    assert.ok(u >= 0 && u < 1);
    const bin = Math.floor(u * 10);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  // Expected 2000 a bin, s.d. 42: five s.d. are 212.
  for (const count of bins) assert.ok(Math.abs(count - 2000) < 212, `bins ${bins.join(' ')}`);
});

test('seeds 2^32 apart and neighbours differ', () => {
  const firsts = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 52].map((s) => randomStream(s).uniform());
  assert.equal(new Set(firsts).size, firsts.length);
});

test('int covers 0 .. n-1 evenly; shuffle is a permutation; pick picks', () => {
  const stream = randomStream(1);
  const counts = new Array<number>(6).fill(0);
  for (let i = 0; i < 12_000; i++) {
    const n = stream.int(6);
    counts[n] = (counts[n] ?? 0) + 1;
  }
  assert.equal(counts.length, 6);
  for (const count of counts) assert.ok(Math.abs(count - 2000) < 205, `counts ${counts.join(' ')}`);
  fc.assert(
    fc.property(seed, fc.array(fc.integer()), (s, items) => {
      const order = (x: number[]): number[] => [...x].sort((a, b) => a - b);
      const copy = [...items];
      assert.deepEqual(order(randomStream(s).shuffle(items)), order(items));
      assert.deepEqual(items, copy); // the input stays as it is
      if (items.length > 0) assert.ok(items.includes(randomStream(s).pick(items)));
    }),
  );
  assert.equal(stream.int(1), 0);
  assert.throws(() => stream.int(0), /n: got 0/);
  assert.throws(() => stream.pick([]), /no items/);
  assert.throws(() => randomStream(-1), /seed: got -1/);
  assert.throws(() => randomStream(1.5), /seed: got 1.5/);
});

test('weighted follows the weights and never draws a weight of 0', () => {
  const stream = randomStream(3);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 10_000; i++) {
    const n = stream.weighted([0, 1, 3, 0]);
    counts[n] = (counts[n] ?? 0) + 1;
  }
  assert.deepEqual([counts[0], counts[3]], [0, 0]);
  assert.ok(Math.abs((counts[1] ?? 0) - 2500) < 217, `counts ${counts.join(' ')}`);
  assert.throws(() => stream.weighted([0, 0]), /sum of weights: got 0/);
  assert.throws(() => stream.weighted([1, -1]), /weight 1: got -1/);
});
