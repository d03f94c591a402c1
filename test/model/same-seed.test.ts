/** The same seed gives the same weights and the same samples in two processes, and with another number of threads. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openBackend } from '../../model/backend.ts';

const PROGRAM = fileURLToPath(new URL('./digest-of-training.ts', import.meta.url));
const { name } = await openBackend();

function digests(threads: number): string {
  const args = ['--import', 'tsx', PROGRAM, String(threads)];
  return execFileSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, TERMINAL_RSI_BACKEND: name },
  });
}

test('two processes, equal digests', () => {
  const first = digests(1);
  assert.match(first, /"policy":"[0-9a-f]{64}","critic":"[0-9a-f]{64}","decoded":"[0-9a-f]{64}"/);
  assert.equal(digests(1), first);
  if (name === 'native') assert.equal(digests(2), first, 'two threads');
});
