/** Two processes, two time zones, one answer: nothing of the host's clock or chance reaches a terminal. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openTerminal } from '../../sandbox/embedded.ts';
import { aTask } from './a-task.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('./print-outputs.ts', import.meta.url));

async function outputs(TZ: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', SCRIPT], { env: { ...process.env, TZ } });
  return stdout.trim().split('\n');
}

test('two processes in different time zones see the same', async () => {
  const [here, there] = await Promise.all([outputs('UTC'), outputs('Asia/Kathmandu')]);
  assert.deepEqual(here, there);
  assert.equal(here.length, 26);
  const half = here.length / 2;
  assert.deepEqual(here.slice(0, half), here.slice(half), 'with and without the defence');
  assert.ok(!here.join('').includes(String(new Date().getFullYear())), "the host's year shows");
});

test('every command sees one tick of logical time', async () => {
  const terminal = await openTerminal(aTask());
  const first = await terminal.run('date +%s; echo $SECONDS');
  const second = await terminal.run('date +%s; echo $SECONDS');
  assert.equal(first.stdout, '1721044801\n1\n');
  assert.equal(second.stdout, '1721044802\n2\n');
});

test('chance differs between commands and tasks, not between runs', async () => {
  const draws = async (id: string): Promise<string[]> => {
    const terminal = await openTerminal(aTask({ id }));
    return [(await terminal.run('echo $RANDOM')).stdout, (await terminal.run('echo $RANDOM')).stdout];
  };
  const [a, again, b] = [await draws('ab'.repeat(32)), await draws('ab'.repeat(32)), await draws('12'.repeat(32))];
  assert.deepEqual(a, again);
  assert.equal(new Set([...a, ...b]).size, 4);
});

test('the host gets its clock and chance back', async () => {
  const terminal = await openTerminal(aTask());
  await terminal.run('date; echo $RANDOM');
  assert.ok(Math.abs(Date.now() - performance.timeOrigin - performance.now()) < 60_000);
  assert.notEqual(new Date().constructor.name, 'FrozenDate');
  assert.notEqual(Math.random(), Math.random());
});
