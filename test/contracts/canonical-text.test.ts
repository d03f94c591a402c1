import assert from 'node:assert/strict';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalText } from '../../contracts/canonical-text.ts';

test('any JSON value has the text that the library gives it', () => {
  const mixed = fc.anything({ maxDepth: 4, values: [fc.double({ noNaN: true }), fc.string({ unit: 'binary' })] });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), mixed, fc.array(fc.double())), (value) => {
      const theirs = attempt(() => canonicalize(value));
      // The library returns undefined where there is no JSON form, and throws where a number has none.
      assert.equal(
        attempt(() => canonicalText(value)),
        theirs ?? null,
      );
    }),
  );
});

test('lists of numbers: -0 is 0, exponents as the RFC writes them, holes and undefined are null', () => {
  assert.equal(canonicalText([-0, 1e21, 1e-7, 0.1, 5e-324]), '[0,1e+21,1e-7,0.1,5e-324]');
  assert.equal(canonicalText([1, undefined]), '[1,null]');
  assert.equal(canonicalText({ b: [1, 2], a: undefined, é: 1, '\u{1f600}': 2, '\uffff': 3 }), '{"b":[1,2],"é":1,"😀":2,"\uffff":3}'); // prettier-ignore
});

test('what JSON cannot hold is refused wherever it stands', () => {
  for (const wrong of [NaN, [1, NaN], { a: [Infinity] }, ['\ud800'], undefined, () => 1]) {
    assert.throws(() => canonicalText(wrong));
  }
});

function attempt(work: () => string | undefined): string | null {
  try {
    return work() ?? null;
  } catch {
    return null;
  }
}
