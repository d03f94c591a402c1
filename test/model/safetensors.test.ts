/** The safetensors container: there and back, equal bytes for equal weights, and refusal of anything malformed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../contracts/failures.ts';
import { decodeSafetensors, encodeSafetensors, type NamedArray } from '../../model/safetensors.ts';

const name = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((text) => text !== '__proto__' && text !== '__metadata__');
const array = fc
  .array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 })
  .chain((shape) =>
    fc
      .array(fc.float(), { minLength: product(shape), maxLength: product(shape) })
      .map((values): NamedArray => ({ shape, values: Float32Array.from(values) })),
  );
const tensors = fc.dictionary(name, array, { maxKeys: 5 });
const metadata = fc.dictionary(name, fc.string({ unit: 'binary', maxLength: 10 }), { maxKeys: 3 });

function product(shape: readonly number[]): number {
  return shape.reduce((total, side) => total * side, 1);
}

function refused(file: Uint8Array, message?: RegExp): void {
  assert.throws(
    () => decodeSafetensors(file, 'weights.safetensors'),
    (error) => {
      assert.ok(error instanceof Failure, String(error));
      assert.equal(error.boundary, 'model');
      assert.match(error.message, /^weights\.safetensors is not a readable safetensors file: /);
      if (message !== undefined) assert.match(error.message, message);
      return true;
    },
  );
}

/** A file with the given header text and number of data bytes. */
function fileOf(header: string | Uint8Array, dataBytes: number, claimed?: bigint): Uint8Array {
  const text = typeof header === 'string' ? new TextEncoder().encode(header) : header;
  const file = new Uint8Array(8 + text.length + dataBytes);
  new DataView(file.buffer).setBigUint64(0, claimed ?? BigInt(text.length), true);
  file.set(text, 8);
  return file;
}

test('any tensors come back bit for bit, NaN and -0 among them', () => {
  fc.assert(
    fc.property(tensors, metadata, (given, words) => {
      const read = decodeSafetensors(encodeSafetensors(given, words), 'test');
      assert.deepEqual({ ...read.metadata }, { ...words });
      assert.deepEqual(Object.keys(read.tensors).sort(), Object.keys(given).sort());
      for (const [key, { shape, values }] of Object.entries(given)) {
        assert.deepEqual(read.tensors[key]?.shape, shape);
        assert.deepEqual(bitsOf(read.tensors[key]?.values ?? new Float32Array(1)), bitsOf(values));
      }
    }),
  );
});

const bitsOf = (values: Float32Array): Uint8Array => new Uint8Array(values.slice().buffer);

test('equal weights give equal bytes, in whatever order they are named; data starts at a multiple of 8', () => {
  fc.assert(
    fc.property(tensors, metadata, (given, words) => {
      const bytes = encodeSafetensors(given, words);
      const turned = Object.fromEntries(Object.entries(given).reverse());
      assert.deepEqual(encodeSafetensors(turned, Object.fromEntries(Object.entries(words).reverse())), bytes);
      assert.equal(Number(new DataView(bytes.buffer).getBigUint64(0, true)) % 8, 0);
    }),
  );
});

test('a file within a larger buffer, at an odd place, is read all the same', () => {
  const bytes = encodeSafetensors({ w: { shape: [2], values: Float32Array.of(1, 2) } }, {});
  const larger = new Uint8Array(bytes.length + 7);
  larger.set(bytes, 3);
  assert.deepEqual([...(decodeSafetensors(larger.subarray(3, 3 + bytes.length), 'test').tensors['w']?.values ?? [])], [1, 2]); // prettier-ignore
});

test('cut at any length, a file is refused', () => {
  const bytes = encodeSafetensors({ a: { shape: [2, 2], values: new Float32Array(4) }, b: { shape: [1], values: new Float32Array(1) } }, { k: 'v' }); // prettier-ignore
  for (let length = 0; length < bytes.length; length += 1) refused(bytes.subarray(0, length));
  refused(Uint8Array.from([...bytes, 0]), /cover 20 of 21 data bytes/);
});

const entry = (shape: unknown, offsets: unknown, dtype: unknown = 'F32'): object => ({ dtype, shape, data_offsets: offsets }); // prettier-ignore

const MALFORMED: readonly [what: string, header: unknown, dataBytes: number, message: RegExp][] = [
  ['the same bytes twice', { a: entry([2], [0, 8]), b: entry([2], [0, 8]) }, 16, /b begins at byte 0, where 8 is next/],
  ['overlap', { a: entry([2], [0, 8]), b: entry([2], [4, 12]) }, 16, /b begins at byte 4, where 8 is next/],
  ['a gap', { a: entry([1], [0, 4]), b: entry([1], [8, 12]) }, 12, /b begins at byte 8, where 4 is next/],
  ['bytes left over', { a: entry([1], [0, 4]) }, 8, /cover 4 of 8/],
  ['past the end', { a: entry([4], [0, 16]) }, 8, /claims bytes 0\.\.16 of 8/],
  ['shape and bytes differ', { a: entry([3], [0, 8]) }, 8, /shape \[3\] claims bytes 0\.\.8/],
  ['end before start', { a: entry([1], [8, 4]) }, 8, /claims bytes 8\.\.4/],
  ['negative sides', { a: entry([-1, -2], [0, 8]) }, 8, /no shape of whole numbers/],
  ['a side of 1.5', { a: entry([1.5], [0, 6]) }, 6, /no shape of whole numbers/],
  ['a side that is null, as NaN is written', { a: entry([null], [0, 4]) }, 4, /no shape of whole numbers/],
  ['a side of 1e400', null, 4, /no shape of whole numbers/],
  ['a shape that is no list', { a: entry('4', [0, 4]) }, 4, /no shape/],
  ['offsets as texts', { a: entry([1], ['0', '4']) }, 4, /no two data offsets/],
  ['three offsets', { a: entry([1], [0, 4, 4]) }, 4, /no two data offsets/],
  ['no offsets', { a: { dtype: 'F32', shape: [1] } }, 4, /no two data offsets/],
  ['another type', { a: entry([1], [0, 4], 'F16') }, 4, /is "F16"; this reader takes F32/],
  ['no type', { a: { shape: [1], data_offsets: [0, 4] } }, 4, /takes F32/],
  ['an entry that is null', { a: null }, 0, /tensor a is no object/],
  ['an entry that is a list', { a: [] }, 0, /tensor a is no object/],
  ['metadata that is a list', { __metadata__: ['x'] }, 0, /__metadata__ is no object of texts/],
  ['metadata of numbers', { __metadata__: { steps: 3 } }, 0, /__metadata__ is no object of texts/],
  ['metadata that is null', { __metadata__: null }, 0, /__metadata__ is no object of texts/],
  ['a list', [], 0, /not a JSON object/],
  ['a number', 3, 0, /not a JSON object/],
];

for (const [what, header, dataBytes, message] of MALFORMED) {
  test(`refused: ${what}`, () => {
    const text = what === 'a side of 1e400' ? '{"a":{"dtype":"F32","shape":[1e400],"data_offsets":[0,4]}}' : JSON.stringify(header); // prettier-ignore
    refused(fileOf(text, dataBytes), message);
  });
}

test('a header of a senseless length, or no JSON, or no UTF-8, is refused without reading it', () => {
  for (const claimed of [2n ** 64n - 1n, 2n ** 63n, 2n ** 53n, 200_000_000n, 3n]) refused(fileOf('{}', 0, claimed));
  refused(fileOf('{"a"', 0), /not JSON/);
  refused(fileOf('', 0), /not JSON/);
  refused(fileOf(Uint8Array.of(0x22, 0xff, 0x22), 0), /not JSON/);
});

test('no damage to a file does anything but give other numbers or a refusal', () => {
  const bytes = encodeSafetensors({ a: { shape: [2, 2], values: Float32Array.of(1, 2, 3, 4) } }, { role: 'policy' });
  const change = fc.record({ at: fc.nat({ max: bytes.length - 1 }), to: fc.integer({ min: 0, max: 255 }) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const file = bytes.slice();
      for (const { at, to } of changes) file[at] = to;
      try {
        for (const { shape, values } of Object.values(decodeSafetensors(file, 'test').tensors)) {
          assert.equal(values.length, product(shape));
        }
      } catch (error) {
        assert.ok(error instanceof Failure, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
