/** Seeds and digests: fixed for ever (golden values), different at different places, and refusing what is no JSON. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { digestOf, digestOfBytes, digestOfText } from '../../contracts/digest.ts';
import { comparePlaces, placeName } from '../../contracts/run-store.ts';
import { seedOf, type SeedPlace } from '../../contracts/seeds.ts';
import { place } from './arbitraries.ts';

const BASE: SeedPlace = { runSeed: 1, generation: 2, stageIndex: 0, purpose: 'rollout', groupIndex: 3 };

// Computed by Python's hashlib over the JSON list of the place.
const GOLDEN = { base: 266193494125037, evaluation: 4001125200903630, rewrite: 1167320849203692 } as const;

test('golden values: a change here changes every run', () => {
  assert.equal(seedOf(BASE), GOLDEN.base);
  assert.equal(seedOf({ ...BASE, generation: null, stageIndex: null, purpose: 'evaluation selection' }), GOLDEN.evaluation); // prettier-ignore
  assert.equal(seedOf({ ...BASE, taskId: 'ab', parentId: 'cd', sample: 1 }), GOLDEN.rewrite);
});

test('a seed is a whole number that a random stream takes', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.string(), (runSeed, groupIndex, purpose) => {
      const seed = seedOf({ ...BASE, runSeed, groupIndex, purpose });
      assert.ok(Number.isSafeInteger(seed) && seed >= 0 && seed < 2 ** 52);
    }),
  );
});

test('no two of 200,000 places share a seed', () => {
  const seeds = new Set<number>();
  let places = 0;
  for (const runSeed of [0, 1, 2, 3]) {
    for (const generation of [null, 0, 1, 2, 3]) {
      for (const stageIndex of [-1, 0, 1, 2, 3]) {
        for (const purpose of ['rollout', 'rewrite', 'probe', 'order', 'mix']) {
          for (let groupIndex = 0; groupIndex < 10; groupIndex += 1) {
            for (let sample = 0; sample < 40; sample += 1) {
              seeds.add(seedOf({ runSeed, generation, stageIndex, purpose, groupIndex, sample, taskId: 't' }));
              places += 1;
            }
          }
        }
      }
    }
  }
  assert.equal(seeds.size, places);
});

test('every part of a place counts, and parts do not run into one another', () => {
  const others: SeedPlace[] = [
    { ...BASE, runSeed: 2 },
    { ...BASE, generation: 3 },
    { ...BASE, generation: null },
    { ...BASE, stageIndex: 1 },
    { ...BASE, stageIndex: null },
    { ...BASE, purpose: 'probe' },
    { ...BASE, groupIndex: 4 },
    { ...BASE, taskId: 'a' },
    { ...BASE, parentId: 'a' },
    { ...BASE, taskId: 'a', parentId: 'b' },
    { ...BASE, taskId: 'ab' },
    { ...BASE, sample: 1 },
    { ...BASE, runSeed: 12, generation: 0 },
    { ...BASE, runSeed: 1, generation: 20 },
  ];
  assert.equal(new Set([BASE, ...others].map(seedOf)).size, others.length + 1);
  // Left out is the first sample; whatever else an object carries does not count.
  assert.equal(seedOf({ ...BASE, sample: 0 }), seedOf(BASE));
  assert.equal(seedOf({ ...BASE, step: 'x', attempt: 3 } as SeedPlace), seedOf(BASE));
});

test('digests: of canonical JSON, so the order of keys does not count, and equal to the platform’s own', () => {
  assert.equal(digestOf({ b: [1, 2], a: 'x' }), digestOf({ a: 'x', b: [1, 2] }));
  assert.notEqual(digestOf({ a: [1, 2] }), digestOf({ a: [2, 1] }));
  assert.equal(digestOf({ a: 1, b: undefined }), digestOf({ a: 1 }));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary' }), (bytes, text) => {
      assert.equal(digestOfBytes(bytes), createHash('sha256').update(bytes).digest('hex'));
      assert.equal(digestOfText(text), createHash('sha256').update(text).digest('hex'));
    }),
  );
  for (const value of [NaN, Infinity, { a: NaN }, undefined]) assert.throws(() => digestOf(value));
});

test('names of places sort as the places do within a step, and different places have different names', () => {
  fc.assert(
    fc.property(place, place, (a, b) => {
      const order = comparePlaces(a, b);
      assert.equal(order === 0, placeName(a) === placeName(b));
      assert.equal(Math.sign(order), -Math.sign(comparePlaces(b, a)) + 0);
    }),
  );
});
