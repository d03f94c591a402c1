/** Who gets the lock: the dead and the half-written lose it, the living keep it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockHolder, withLock } from '../../infra/native/lock.ts';
import { isAlive } from '../../infra/processes.ts';

function makeLock(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rsi-lock-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'lock');
}

function hold<T>(path: string, work: () => Promise<T>, { timeout = 20_000, lines = [] as string[] } = {}): Promise<T> {
  return withLock(path, { log: (line) => lines.push(line), signal: AbortSignal.timeout(timeout) }, work);
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('work never overlaps, and the lock goes with it, also when the work fails', async (t) => {
  const path = makeLock(t);
  let inside = 0;
  const work = async () => {
    assert.equal(++inside, 1);
    await sleep(10);
    inside--;
  };
  await Promise.all([hold(path, work), hold(path, work), hold(path, work)]);
  await assert.rejects(
    hold(path, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.deepEqual(await readdir(join(path, '..')), []);
});

test('a lock whose process is gone is taken over', async (t) => {
  const path = makeLock(t);
  const gone = [
    JSON.stringify({ pid: await deadPid(), host: hostname(), startedAt: null }),
    // The pid lives, but it is another process by now; only Linux can tell.
    ...(process.platform === 'linux' ? [JSON.stringify({ pid: process.pid, host: hostname(), startedAt: '1' })] : []),
    '{"pid":',
    'null',
  ];
  for (const holder of gone) {
    await writeFile(path, holder);
    assert.equal(await hold(path, async () => 'mine', { timeout: 5000 }), 'mine', holder);
  }
  assert.deepEqual(await readdir(join(path, '..')), []);
});

test('a lock of a living process, or of another machine, is waited for', async (t) => {
  const path = makeLock(t);
  for (const host of [hostname(), 'another-machine']) {
    await writeFile(path, JSON.stringify({ pid: process.pid, host, startedAt: null }));
    const lines: string[] = [];
    const waiting = hold(path, async () => 'mine', { timeout: 300, lines });
    await assert.rejects(waiting, {
      message: new RegExp(`${process.pid} on ${host} was still`),
      remedy: /remove .*lock/,
    });
    assert.equal(lines.length, 1, 'said once');
    assert.ok(existsSync(path));
  }
});

test('a holder is a process of this machine: another host has other processes under the same numbers', async (t) => {
  const path = makeLock(t);
  for (const [holder, expected] of [
    [{ pid: process.pid, host: hostname(), startedAt: null }, process.pid],
    [{ pid: process.pid, host: `not-${hostname()}`, startedAt: null }, null],
    [{ pid: 0, host: hostname(), startedAt: null }, null],
    [{ pid: -1, host: hostname(), startedAt: null }, null],
    [{ pid: 'x', host: hostname() }, null],
  ] as const) {
    await writeFile(path, JSON.stringify(holder));
    assert.equal(await lockHolder(path), expected, JSON.stringify(holder));
  }
  assert.deepEqual([process.pid, 0, -1, 1.5, Number.NaN].map(isAlive), [true, false, false, false, false]);
});
