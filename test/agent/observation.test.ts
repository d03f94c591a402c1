import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_CAP, observationOf } from '../../agent/observation.ts';

const result = (stdout: string, stderr = '', exitCode = 0, timedOut = false): Parameters<typeof observationOf>[0] => ({
  ...{ stdout, stderr, exitCode, timedOut },
});

test('output is shown without its last line end', () => {
  assert.equal(observationOf(result('a\nb\n')), 'a\nb');
  assert.equal(observationOf(result('a')), 'a');
  assert.equal(observationOf(result('a\n', 'wrong\n', 1)), 'a\nwrong');
  assert.equal(observationOf(result('', 'wrong\n', 1)), 'wrong');
});

test('the exit code shows only where nothing else does', () => {
  assert.equal(observationOf(result('')), '');
  assert.equal(observationOf(result('', '', 1)), 'exit 1');
  assert.equal(observationOf(result('\n', '', 1)), 'exit 1');
  assert.equal(observationOf(result('half an answer', 'bash: deadline', 124, true)), 'exit 124');
});

test('long output keeps its head and tail, and no half characters', () => {
  const text = 'x'.repeat(500);
  assert.equal(observationOf(result(text)), `${'x'.repeat(DEFAULT_CAP.head)}\n...\n${'x'.repeat(DEFAULT_CAP.tail)}`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(9), fc.nat(9), (stdout, head, tail) => {
      const shown = observationOf(result(stdout), { head, tail });
      assert.ok(shown.length <= head + tail + 6);
      assert.ok(!/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(shown));
    }),
  );
});
