/** Sampling: the exact softmax at any temperature, greedy, and draws that follow the stream through the distribution. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sampleToken } from '../../model/sample.ts';
import { randomStream, type RandomStream } from '../../rl/random-stream.ts';

function softmax(logits: Float32Array, temperature: number): number[] {
  const top = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp((logit - top) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** A stream whose next number is known. */
const drawing = (uniform: number): RandomStream => ({ ...randomStream(1), uniform: () => uniform });

const logits = fc.array(fc.float({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 12 });
const temperature = fc.double({ min: 0.1, max: 5, noNaN: true });

test('the log-probability is that of the softmax, exactly, wherever the row stands', () => {
  fc.assert(
    fc.property(logits, temperature, fc.nat({ max: 5 }), fc.nat(), (row, heat, before, seed) => {
      const flat = Float32Array.from([...new Array<number>(before * row.length).fill(50), ...row, 99]);
      const { token, logProb } = sampleToken(flat, before * row.length, row.length, heat, randomStream(seed));
      assert.ok(token >= 0 && token < row.length);
      const expected = Math.log(softmax(Float32Array.from(row), heat)[token] as number);
      // Tiny probabilities lose digits in the reference, not in the logarithm itself.
      assert.ok(Math.abs(logProb - expected) < 1e-9 || logProb < -600, `${logProb} against ${expected}`);
    }),
  );
});

test('a number u of the stream picks the token whose share of the cumulated distribution holds u', () => {
  fc.assert(
    fc.property(logits, temperature, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (row, heat, u) => {
      const { token } = sampleToken(Float32Array.from(row), 0, row.length, heat, drawing(u));
      const shares = softmax(Float32Array.from(row), heat);
      const below = shares.slice(0, token).reduce((sum, share) => sum + share, 0);
      const slack = 1e-9;
      assert.ok(
        u >= below - slack && u <= below + (shares[token] as number) + slack,
        `${u}: token ${token} of ${String(shares)}`,
      );
    }),
  );
});

test('temperature 0 takes the largest, the first of equals, with certainty and without the stream', () => {
  const untouched: RandomStream = { ...randomStream(1), uniform: () => assert.fail('no draw is needed') };
  assert.deepEqual(sampleToken(Float32Array.of(1, 3, 2), 0, 3, 0, untouched), { token: 1, logProb: 0 });
  assert.deepEqual(sampleToken(Float32Array.of(3, 3, 3), 0, 3, 0, untouched), { token: 0, logProb: 0 });
  // Only the row's own tokens, not what pads the vocabulary.
  assert.deepEqual(sampleToken(Float32Array.of(9, 1, 2, 9), 1, 2, 0, untouched), { token: 1, logProb: 0 });
});

test('what has no probability is never drawn, and the last draw of all still finds a token', () => {
  const row = Float32Array.of(-1e9, 0, -1e9, 0);
  for (const u of [0, 0.25, 0.5, 0.75, 1 - 2 ** -53]) {
    assert.ok([1, 3].includes(sampleToken(row, 0, 4, 1, drawing(u)).token), String(u));
  }
});

test('one draw a token: two rows from streams of their own do not disturb one another', () => {
  const row = Float32Array.of(0, 1, 2, 3);
  const draw = (stream: RandomStream): number => sampleToken(row, 0, 4, 1, stream).token;
  const alone = randomStream(5);
  const together = randomStream(5);
  const other = randomStream(6);
  const first = Array.from({ length: 50 }, () => draw(alone));
  const second = Array.from({ length: 50 }, () => {
    draw(other);
    return draw(together);
  });
  assert.deepEqual(second, first);
});

test('logits that are not finite are refused', () => {
  for (const bad of [NaN, Infinity]) {
    assert.throws(() => sampleToken(Float32Array.of(0, bad, 1), 0, 3, 1, randomStream(1)), RangeError, String(bad));
    assert.throws(() => sampleToken(Float32Array.of(bad, 0, 1), 0, 3, 0, randomStream(1)), RangeError, String(bad));
  }
});
