/** The heart of a computing activity: beats while there is progress, stops for good when there is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHeart } from '../../activities/heart.ts';

test('it beats at once and then steadily, with the last progress', async () => {
  const beats: unknown[] = [];
  const heart = startHeart({ timeoutMs: 60, beat: (details) => beats.push(details), onStall: assert.fail });
  assert.deepEqual(beats, [null]);
  heart.progress('a');
  await sleep(110);
  heart.progress('b');
  await sleep(50);
  heart.stop();
  const before = beats.length;
  assert.ok(before >= 4, `only ${before} beats`);
  assert.deepEqual([beats[1], beats.at(-1)], ['a', 'b']);
  await sleep(50);
  assert.equal(beats.length, before);
});

test('without progress it stops and says so once', async () => {
  let beats = 0;
  let stalls = 0;
  const heart = startHeart({
    ...{ timeoutMs: 30, stallMs: 60 },
    beat: () => (beats += 1),
    onStall: () => (stalls += 1),
  });
  await sleep(200);
  const before = beats;
  assert.ok(before >= 3 && before <= 9, `${before} beats`);
  await sleep(100);
  assert.deepEqual([stalls, beats], [1, before]);
  heart.stop();
});
