// Splitting commands into words: quotes, operators, here-documents, parts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dataParts, shellWords } from '../../rl/gates/shell-words.ts';

function words(command: string): string[] {
  return shellWords(command).map((word) => word.text);
}

function programs(command: string): string[] {
  return shellWords(command).filter((word) => word.isProgram).map((word) => word.text); // prettier-ignore
}

test('quotes are removed and join what they touch', () => {
  assert.deepEqual(words(`echo 'a b' "c d"e f\\ g ''`), ['echo', 'a b', 'c de', 'f g', '']);
  assert.deepEqual(words(`echo "a\\"b" 'a\\'`), ['echo', 'a"b', 'a\\']);
  assert.deepEqual(words('echo a\\\nb'), ['echo', 'ab']);
  assert.deepEqual(words(`echo 'open`), ['echo', 'open']);
});

test('operators and redirections separate', () => {
  assert.deepEqual(words('a&&b|c;d>e 2>>f<g'), ['a', 'b', 'c', 'd', 'e', '2', 'f', 'g']);
  assert.deepEqual(words('x $(y z) `w`'), ['x', '$', 'y', 'z', 'w']);
  assert.deepEqual(words('echo ${A} {a,b}; { ls; }'), ['echo', '${A}', '{a,b}', 'ls']);
});

test('programs are first words, assignments and redirections apart', () => {
  assert.deepEqual(programs('A=1 b c | d; > e f g'), ['b', 'd', 'f']);
  assert.deepEqual(programs('cat > x <<E\nhello\nE'), ['cat']);
  assert.deepEqual(programs('cat <<< x\nls'), ['cat', 'ls']);
});

test('parts: both sides of K=V and of paths, and what a quoted script holds', () => {
  assert.deepEqual(
    new Set(dataParts('s/^K=.*/K=42/')),
    new Set(['s/^K=.*/K=42/', 's', '^K', 'K', '42', '^K=.*', 'K=42']),
  );
  assert.ok(dataParts('print(4711)').includes('4711'));
  assert.deepEqual(dataParts('--'), []);
});

test('any text is split without an error, and no blank outside quotes survives', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...`ab '"\\;|<>(){}=$/\n`) }), (command) => {
      for (const word of words(command)) dataParts(word);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[\w.=/-]+$/)), (list) => {
      assert.deepEqual(words(list.join('  ')), list);
    }),
  );
});
