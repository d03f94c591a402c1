import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBusyClock } from '../../contracts/busy-clock.ts';

test('what goes on beside each other counts once, each second is told once, also of what still goes on', () => {
  let now = 5000;
  const clock = openBusyClock(() => now);
  const pass = (seconds: number): void => void (now += seconds * 1000);
  pass(10);
  assert.equal(clock.take(), 0);
  clock.begin();
  pass(1);
  clock.begin();
  pass(2);
  clock.end();
  pass(4);
  assert.equal(clock.take(), 7);
  pass(8);
  clock.end();
  pass(16);
  assert.equal(clock.take(), 8);
  assert.equal(clock.take(), 0);
});
