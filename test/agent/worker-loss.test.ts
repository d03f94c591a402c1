/** What survives when a worker dies or hangs, and what is lost by name. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openEmbeddedPool } from '../../agent/embedded-pool.ts';
import type { TerminalPool } from '../../contracts/sandbox.ts';
import { aTask } from '../sandbox/a-task.ts';

const folder = mkdtempSync(join(tmpdir(), 'worker-loss-'));
after(() => rmSync(folder, { recursive: true }));

const CRASH_SEED = 666;
const entry = new URL('./faulty-worker.ts', import.meta.url);

async function withPool(workers: number, work: (pool: TerminalPool) => Promise<void>): Promise<void> {
  const pool = openEmbeddedPool({ workers, graceMs: 100, chunkSize: 2, entry });
  try {
    await work(pool);
  } finally {
    await pool.dispose();
  }
}

test('a dying worker takes its own episodes along, by name, and is replaced', async () => {
  await withPool(2, async (pool) => {
    for (const name of ['a', 'b', 'c', 'd']) await pool.open(name, aTask());
    // a and c share a worker, b and d the other one.
    const crash = assert.rejects(pool.step('a', 'crash'), {
      ...{ boundary: 'sandbox', subject: 'episode a', retryable: true },
      message: /episode a: its worker died: told to crash/,
    });
    const bystander = assert.rejects(pool.step('c', 'ls'), { boundary: 'sandbox', message: /episode c/ });
    assert.equal((await pool.step('b', 'echo alive')).stdout, 'alive\n');
    await Promise.all([crash, bystander]);
    await assert.rejects(pool.step('c', 'ls'), /episode c was lost with its worker/);
    await pool.close('c');
    await pool.open('c', aTask());
    assert.equal((await pool.step('c', 'echo again')).stdout, 'again\n');
    assert.equal((await pool.step('d', 'echo alive')).stdout, 'alive\n');
  });
});

test('a hung command ends its worker; only that command must not be retried', async () => {
  await withPool(1, async (pool) => {
    await pool.open('hung', aTask());
    await pool.open('other', aTask());
    const hung = assert.rejects(pool.step('hung', 'hang'), {
      ...{ boundary: 'sandbox', retryable: false, message: /episode hung: a command outlived its limit/ },
    });
    const other = assert.rejects(pool.step('other', 'ls'), {
      ...{ boundary: 'sandbox', retryable: true, message: /episode other: .*another episode/ },
    });
    await Promise.all([hung, other]);
    assert.deepEqual(await pool.open('next', aTask()), [0, 0]);
    // Of the thread that is gone too, and never less than nothing.
    assert.ok(pool.takeBusySeconds() > 0);
    assert.equal(pool.takeBusySeconds(), 0);
  });
});

test('a chunk that failed is played once more', async () => {
  process.env['FAULTY_WORKER_MARKER'] = join(folder, 'once');
  const tasks = Array.from({ length: 9 }, () => aTask());
  const seeds = tasks.map((_, index) => (index === 4 ? CRASH_SEED : index));
  await withPool(2, async (pool) => {
    const episodes = await pool.play('idle', tasks, seeds);
    assert.equal(episodes.length, 9);
    assert.ok(episodes.every((episode) => episode.done));
  });
  assert.ok(existsSync(join(folder, 'once')), 'the worker was to die once');
});

test('a chunk that fails twice is a failure, and the pool goes on', async () => {
  delete process.env['FAULTY_WORKER_MARKER'];
  await withPool(2, async (pool) => {
    await assert.rejects(pool.play('idle', [aTask()], [CRASH_SEED]), { boundary: 'sandbox', message: /code 7/ });
    assert.equal((await pool.play('idle', [aTask()], [1])).length, 1);
  });
});

test('a worker that cannot start is a failure, not a loop', async () => {
  const pool = openEmbeddedPool({ workers: 1, entry: new URL('./no-such-worker.ts', import.meta.url) });
  await assert.rejects(pool.open('a', aTask()), { boundary: 'sandbox', message: /episode a: its worker died/ });
  await pool.dispose();
});
