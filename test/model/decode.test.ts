/** Cached decoding gives what the full forward pass gives, and a row's numbers depend on that row alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBackend } from '../../model/backend.ts';
import { openDecoder } from '../../model/decode.ts';
import type { ModelConfig } from '../../model/model-config.ts';
import { matmul } from '../../model/ops.ts';
import { disposeParameters, initialParameters, weight, type Parameters } from '../../model/parameters.ts';
import { soundRows } from '../../model/row-sizes.ts';
import { tf } from '../../model/tf.ts';
import { runTrunk } from '../../model/transformer.ts';
import { randomStream } from '../../rl/random-stream.ts';
import { maxDifference, randomParameters, SHAPES, shapeName, smallConfig, TOKEN_COUNT } from './small-models.ts';

await openBackend();

/** Tokens of one row: a function of its name alone, whatever batch it stands in. */
function rowTokens(row: number, length: number, tokenCount = TOKEN_COUNT): number[] {
  const stream = randomStream(1000 + row);
  return Array.from({ length }, () => stream.int(tokenCount));
}

/** Logits [B][T][vocabSize] of whole sequences, without the cache. */
function fullLogits(
  parameters: Parameters,
  config: ModelConfig,
  rows: readonly (readonly number[])[],
): Float32Array[][] {
  const length = rows[0]?.length ?? 0;
  const all = Int32Array.from({ length: rows.length * length }, (_, i) => i);
  const flat = tf.tidy(() => {
    const { hidden } = runTrunk(parameters, config, {
      batch: rows.length,
      length,
      ids: Int32Array.from(rows.flat()),
      rows: all,
    });
    return matmul(hidden, weight(parameters, 'embed'), false, true).dataSync() as Float32Array;
  });
  const at = (i: number): Float32Array => flat.subarray(i * config.vocabSize, (i + 1) * config.vocabSize);
  return rows.map((_, b) => Array.from({ length }, (_, t) => at(b * length + t)));
}

/** Decodes named rows in a batch; returns the logits of each named row at every position. */
function decodeRows(
  parameters: Parameters,
  config: ModelConfig,
  names: readonly number[],
  length: number,
  tokenCount = TOKEN_COUNT,
): Map<number, Float32Array[]> {
  const tokens = names.map((name) => rowTokens(name, length, tokenCount));
  const decoder = openDecoder(parameters, config, names.length, tokenCount);
  const seen = new Map<number, Float32Array[]>(names.map((name) => [name, []]));
  for (let t = 0; t < length; t += 1) {
    const logits = decoder.step(Int32Array.from(tokens, (row) => row[t] as number));
    for (const [i, name] of names.entries()) {
      seen.get(name)?.push(logits.slice(i * config.vocabSize, (i + 1) * config.vocabSize));
    }
  }
  decoder.dispose();
  return seen;
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

for (const config of SHAPES) {
  test(`cached decoding equals the full pass across cache blocks: ${shapeName(config)}`, () => {
    const parameters = randomParameters(config, 'policy', 5);
    const length = 70;
    const names = range(0, 8);
    const cached = decodeRows(parameters, config, names, length);
    // A length of its own for the full pass too: what comes later must not matter.
    for (const whole of [1, 31, 32, 33, 64, 65, length]) {
      const full = fullLogits(parameters, config, names.map((name) => rowTokens(name, whole))); // prettier-ignore
      for (const name of names) {
        for (let t = 0; t < whole; t += 1) {
          const expected = full[name]?.[t]?.subarray(0, TOKEN_COUNT) ?? [];
          const got = cached.get(name)?.[t] as Float32Array;
          const difference = maxDifference(got.subarray(0, TOKEN_COUNT), expected);
          assert.ok(difference < 2e-5, `row ${name}, position ${t} of ${whole}: ${difference}`);
        }
      }
    }
    disposeParameters(parameters);
  });
}

test('what only pads the vocabulary can never be sampled', () => {
  const config = smallConfig();
  const parameters = randomParameters(config, 'policy', 6);
  const logits = decodeRows(parameters, config, range(0, 8), 1).get(0)?.[0] as Float32Array;
  assert.ok(logits.subarray(TOKEN_COUNT).every((logit) => logit < -1e8));
  disposeParameters(parameters);
});

for (const at of [5, 32, 40]) {
  test(`kept rows go on as if nothing had left: reordered and fewer after ${at} positions`, () => {
    const config = smallConfig({ kvHeads: 2 });
    const parameters = randomParameters(config, 'policy', 7);
    const length = 72;
    const few = soundRows(config, 8);
    const many = soundRows(config, few + 8);
    const alone = decodeRows(parameters, config, range(0, many), length);
    const tokens = range(0, many).map((name) => rowTokens(name, length));
    const decoder = openDecoder(parameters, config, many, TOKEN_COUNT);
    let names = range(0, many);
    const kept = [13, 2, 5, 5, 0, 15, 8, 1, ...range(0, few - 8)];
    for (let t = 0; t < length; t += 1) {
      if (t === at) {
        decoder.keep(kept);
        names = kept;
      }
      const logits = decoder.step(Int32Array.from(names, (name) => tokens[name]?.[t] as number));
      for (const [i, name] of names.entries()) {
        const got = logits.subarray(i * config.vocabSize, (i + 1) * config.vocabSize);
        assert.deepEqual(got, alone.get(name)?.[t], `row ${name} at ${t}`);
      }
    }
    assert.deepEqual([decoder.rows, decoder.position], [few, length]);
    decoder.dispose();
    disposeParameters(parameters);
  });
}

const DEMO = smallConfig({ vocabSize: 512, dModel: 96, mlp: 256, context: 256 });

for (const [title, config, tokenCount, length] of [
  ['small shapes', smallConfig(), TOKEN_COUNT, 40],
  ['the shapes of the demo', DEMO, 505, 4],
] as const) {
  test(`a row's result does not depend on its batch, bit for bit: ${title}`, () => {
    const parameters = initialParameters(config, 'policy', 8);
    const least = soundRows(config, 1);
    const alone = decodeRows(parameters, config, range(0, least), length, tokenCount);
    const same = (names: readonly number[], what: string): void => {
      const others = decodeRows(parameters, config, names, length, tokenCount);
      for (const name of names.filter((one) => one < least)) {
        assert.deepEqual(others.get(name), alone.get(name), `row ${name}: ${what}`);
      }
    };
    const rest = range(300, least - 8);
    same(range(0, least), 'again');
    same([3, 0, 1, 2, 7, 6, 5, 4, ...rest], 'another place in the batch');
    same([100, 101, 2, 102, 103, 104, 105, 7, ...rest], 'other rows beside it');
    for (const size of new Set([8, 16, 24, 32, 56, 64, 88, 104, 128, 136].map((rows) => soundRows(config, rows)))) {
      same(range(0, size), `first of ${size}`);
      same([...range(400, size - 8), ...range(0, 8)], `last of ${size}`);
    }
    disposeParameters(parameters);
  });
}

test('sizes that are no multiple of 8 and wrong numbers of tokens are refused', () => {
  const config = smallConfig();
  const parameters = randomParameters(config, 'policy', 9);
  for (const rows of [0, -8, 1, 7, 12]) {
    assert.throws(() => openDecoder(parameters, config, rows, TOKEN_COUNT), /multiple of 8/);
  }
  const decoder = openDecoder(parameters, config, 8, TOKEN_COUNT);
  assert.throws(() => decoder.step(new Int32Array(7)), /of 8 rows was given 7 tokens/);
  assert.throws(() => decoder.keep([0, 1]), /multiple of 8/);
  decoder.dispose();
  disposeParameters(parameters);
});
