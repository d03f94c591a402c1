/** How two episodes are laid side by side, and what a terminal is never sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignTurns } from '../../cli/lineage/align-turns.ts';
import { printable } from '../../cli/lineage/printable.ts';
import { sideBySide } from '../../cli/lineage/side-by-side.ts';

const shape = (left: string, right: string): string =>
  alignTurns([...left], [...right])
    .map(
      ({ left: i, right: j, same }) => `${i === null ? '-' : left[i]}${same ? '=' : '|'}${j === null ? '-' : right[j]}`,
    )
    .join(' ');

test('a detour that was left out is a gap, what was replaced stands opposite, nothing is lost', () => {
  assert.equal(shape('abxcd', 'abcd'), 'a=a b=b x|- c=c d=d');
  assert.equal(shape('axd', 'ayzd'), 'a=a x|y -|z d=d');
  assert.equal(shape('', 'ab'), '-|a -|b');
  assert.equal(shape('ab', ''), 'a|- b|-');
  for (const [left, right] of [
    ['abcabc', 'cbacba'],
    ['aaab', 'abaa'],
  ] as const) {
    // prettier-ignore
    const pairs = alignTurns([...left], [...right]);
    assert.deepEqual(pairs.flatMap(({ left: i }) => (i === null ? [] : [i])), [0, 1, 2, 3, 4, 5].slice(0, left.length)); // prettier-ignore
    assert.deepEqual(pairs.flatMap(({ right: j }) => (j === null ? [] : [j])), [0, 1, 2, 3, 4, 5].slice(0, right.length)); // prettier-ignore
  }
});

test('columns are wrapped at their width and stay beside each other', () => {
  const lines = sideBySide(51)('x'.repeat(30), 'one\ntwo\nthree', '=');
  assert.deepEqual(lines, [
    `${'x'.repeat(24)} = one`,
    `${'x'.repeat(6).padEnd(24)} = two`,
    `${' '.repeat(24)} = three`,
  ]);
});

test('escape sequences, bidirectional overrides and bells are shown, not sent', () => {
  assert.equal(printable('\u001b]0;title\u0007 a\u202eb\u009b2J'), '␛]0;title␇ a\ufffdb\ufffd2J');
  assert.equal(sideBySide(80)('a\u001b[2J\tb', '')[0]?.includes('\u001b'), false);
});
