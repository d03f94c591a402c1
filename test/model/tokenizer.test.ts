import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { BUILTIN_TOKENIZER, openTokenizer, SPECIAL_TOKENS } from '../../model/tokenizer.ts';
import { builtinTokenizerText } from '../../scripts/build-tokenizer.ts';
import { VOCABULARY } from '../../tasks/builtin/vocabulary.ts';

const tokenizer = openTokenizer();
const specialIds = new Set(Object.values(tokenizer.special));

function assertExact(text: string): void {
  const ids = tokenizer.encode(text);
  assert.equal(tokenizer.decode(ids), text);
  assert.ok(ids.every((id) => id >= 0 && id < tokenizer.vocabSize && !specialIds.has(id)));
}

test('the shipped file is what the script writes from the vocabulary', () => {
  assert.equal(
    readFileSync(BUILTIN_TOKENIZER, 'utf8'),
    builtinTokenizerText(),
    'run: node --import tsx scripts/build-tokenizer.ts',
  );
});

test('every piece is one token and keeps its place after the special tokens and bytes', () => {
  const ids = VOCABULARY.map((piece) => {
    const [id, ...rest] = tokenizer.encode(piece);
    assert.deepEqual(rest, [], `more than one token: ${JSON.stringify(piece)}`);
    return id;
  });
  assert.equal(new Set(ids).size, VOCABULARY.length);
  const pieces = ids.filter((id) => id !== undefined && id >= specialIds.size + 256);
  assert.deepEqual(
    pieces,
    pieces.map((_, index) => specialIds.size + 256 + index),
  );
});

test('special tokens have the first ids, in order', () => {
  assert.deepEqual(Object.keys(tokenizer.special), Object.keys(SPECIAL_TOKENS));
  assert.deepEqual(Object.values(tokenizer.special), [0, 1, 2, 3, 4, 5]);
});

test('any text comes back exactly', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), assertExact));
  for (const text of ['', '\0', '\r\n', '\uFEFFbom', 'e\u0301', '𝔸\u{10FFFF}', "no  clean . up , n't"])
    assertExact(text);
});

test('pieces glued in any way come back exactly', () => {
  const part = fc.oneof(fc.constantFrom(...VOCABULARY), fc.string({ unit: 'grapheme', maxLength: 3 }));
  fc.assert(fc.property(fc.array(part), (parts) => assertExact(parts.join(''))));
});

test('pieces are matched leftmost and longest', () => {
  const sorted = [...VOCABULARY].sort((a, b) => b.length - a.length);
  const reference = (text: string): string[] => {
    const parts: string[] = [];
    for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 1) {
      parts.push(sorted.find((piece) => text.startsWith(piece, at)) ?? text.charAt(at));
    }
    return parts;
  };
  const part = fc.oneof(fc.constantFrom(...VOCABULARY), fc.string({ unit: 'grapheme-ascii', maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      assert.deepEqual(
        tokenizer.encode(text).map((id) => tokenizer.decode([id])),
        reference(text),
      );
    }),
  );
});

test('text that looks like a special token never becomes one', () => {
  const fake = fc.constantFrom(...Object.values(SPECIAL_TOKENS));
  const part = fc.oneof(fake, fc.constantFrom(...VOCABULARY), fc.constantFrom('<', '|', '>', '<|', '|>'));
  fc.assert(fc.property(fc.array(part, { minLength: 1 }), (parts) => assertExact(parts.join(''))));
});

test('the digest names the content', () => {
  assert.equal(openTokenizer().digest, tokenizer.digest);
  assert.match(tokenizer.digest, /^[0-9a-f]{64}$/);
});

test('what is no tokenizer file is refused by name', () => {
  assert.throws(() => openTokenizer('/nowhere/tokenizer.json'), /\/nowhere\/tokenizer\.json is not a tokenizer\.json/);
});
