import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandOf, endReason, isDone, turnRoom } from '../../agent/end-reason.ts';
import { openTokenizer } from '../../model/tokenizer.ts';

const limits = { turns: 3, tokensPerTurn: 5, context: 40, commandSeconds: 1 };

test('done comes before every limit, and the turn limit before the context', () => {
  const full = { turn: 3, length: 40, observationTokens: 9 };
  assert.equal(endReason({ ...full, command: 'done' }, limits), 'done');
  assert.equal(endReason({ ...full, command: 'ls' }, limits), 'turn-limit');
  assert.equal(endReason({ ...full, turn: 2, command: 'ls' }, limits), 'context-limit');
  assert.equal(endReason({ command: 'ls', turn: 2, length: 20, observationTokens: 9 }, limits), null);
  assert.equal(isDone('done.'), false);
});

test('the context is never outgrown, and a turn that may start has room for a token', () => {
  const anyTurn = fc.record({ sampled: fc.integer({ min: 1, max: 5 }), shown: fc.nat(20) });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 38 }), fc.array(anyTurn), (promptLength, turns) => {
      let length = promptLength;
      for (const { sampled, shown } of turns) {
        const room = turnRoom(length, limits);
        assert.ok(room >= 1 && room <= limits.tokensPerTurn);
        length += Math.min(sampled, room) + 1;
        assert.ok(length <= limits.context);
        if (endReason({ command: 'ls', turn: 1, length, observationTokens: shown }, limits) !== null) return;
        length += shown + 1;
      }
    }),
  );
});

test('the command is what the tokens spell', () => {
  const tokenizer = openTokenizer();
  const { endOfTurn } = tokenizer.special;
  assert.equal(commandOf(tokenizer, [...tokenizer.encode(' echo maple > cedar\n'), endOfTurn]), 'echo maple > cedar');
  assert.equal(commandOf(tokenizer, tokenizer.encode('ls')), 'ls');
  assert.equal(commandOf(tokenizer, [endOfTurn]), '');
});
