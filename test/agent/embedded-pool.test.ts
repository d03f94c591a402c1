import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openEmbeddedPool } from '../../agent/embedded-pool.ts';
import type { ScriptedEpisode, TerminalPool } from '../../contracts/sandbox.ts';
import { TRAINED_FAMILIES } from '../../tasks/builtin/families.ts';
import { taskSet } from '../../tasks/builtin/task-set.ts';
import { aTask } from '../sandbox/a-task.ts';

const TASKS = taskSet({ families: TRAINED_FAMILIES, split: 'train', count: 40, seed: 3 });
const SEEDS = TASKS.map((_, index) => index);

async function withPool<T>(workers: number, work: (pool: TerminalPool) => Promise<T>): Promise<T> {
  const pool = openEmbeddedPool({ workers, chunkSize: 7 });
  try {
    return await work(pool);
  } finally {
    await pool.dispose();
  }
}

test('results do not depend on the number of workers', async () => {
  const everything = (pool: TerminalPool): Promise<readonly unknown[]> =>
    Promise.all([
      pool.play('sloppy', TASKS, SEEDS),
      pool.play('oracle', TASKS, SEEDS),
      pool.replay(
        TASKS,
        TASKS.map(() => ['echo $RANDOM > maple', 'ls -l', 'date', 'done', 'never reached']),
      ),
      ...TASKS.map(async (task, index) => {
        const initial = await pool.open(`e${index}`, task);
        const steps = [await pool.step(`e${index}`, 'ls -l'), await pool.step(`e${index}`, 'cat amber; pwd')];
        await pool.close(`e${index}`);
        return [initial, steps];
      }),
    ]);
  const [none, one, three] = [
    await withPool(0, everything),
    await withPool(1, everything),
    await withPool(3, everything),
  ];
  assert.deepEqual(one, none);
  assert.deepEqual(three, none);
});

for (const workers of [0, 2]) {
  test(`what its terminals were at is told once, in seconds: ${workers} threads`, async () => {
    await withPool(workers, async (pool) => {
      const began = performance.now();
      await pool.play('oracle', TASKS, SEEDS);
      await Promise.all(TASKS.map((task, index) => pool.open(`e${index}`, task)));
      const busy = pool.takeBusySeconds();
      const passed = (performance.now() - began) / 1000;
      assert.ok(busy > 0 && busy <= passed * Math.max(1, workers), `${busy} of ${passed} s`);
      assert.equal(pool.takeBusySeconds(), 0);
      await pool.step('e0', 'ls -l');
      const step = pool.takeBusySeconds();
      assert.ok(step > 0 && step < busy, `${step} after ${busy}`);
    });
  });
}

test('the oracle solves, doing nothing does not', async () => {
  await withPool(1, async (pool) => {
    const last = (episode: ScriptedEpisode): readonly number[] =>
      episode.turns.at(-1)?.result.checks ?? episode.initialChecks;
    for (const episode of await pool.play('oracle', TASKS, SEEDS)) {
      assert.ok(episode.done && last(episode).every((check) => check === 1));
    }
    for (const episode of await pool.play('idle', TASKS, SEEDS)) {
      assert.deepEqual([episode.done, episode.turns.length], [true, 0]);
      assert.ok(last(episode).every((check) => check === 0));
    }
  });
});

test('a script without an end meets the turn limit', async () => {
  await withPool(0, async (pool) => {
    const endless = new Array<string>(20).fill('ls');
    const [episode] = await pool.replay([aTask()], [endless]);
    assert.deepEqual([episode?.done, episode?.turns.length], [false, 9]);
    const [short] = await pool.replay([aTask()], [['ls']]);
    assert.deepEqual([short?.done, short?.turns.length], [true, 1]);
  });
});

test('checks follow the commands', async () => {
  await withPool(1, async (pool) => {
    assert.deepEqual(await pool.open('a', aTask()), [0, 0]);
    assert.deepEqual((await pool.step('a', 'chmod 600 amber')).checks, [0, 1]);
    assert.deepEqual((await pool.step('a', 'echo maple > cedar')).checks, [1, 1]);
    assert.deepEqual(await pool.judge('a'), [1, 1]);
    assert.deepEqual((await pool.step('a', 'rm cedar; exit 4')).exitCode, 4);
    assert.deepEqual(await pool.judge('a'), [0, 1]);
    await pool.close('a');
    assert.deepEqual(await pool.open('a', aTask()), [0, 0], 'a closed name can be opened again, clean');
  });
});

test('misuse is refused by name', async () => {
  await withPool(1, async (pool) => {
    await assert.rejects(pool.step('nobody', 'ls'), { boundary: 'sandbox', message: /episode nobody is not open/ });
    await pool.open('twice', aTask());
    await assert.rejects(pool.open('twice', aTask()), /episode twice is open already/);
    await assert.rejects(pool.play('oracle', TASKS, [1]), /40 tasks need one seed each: got 1/);
    await pool.close('never opened');
  });
  assert.throws(() => openEmbeddedPool({ workers: -1 }), { boundary: 'config' });
});

test('scripted episodes run while this thread computes', async () => {
  await withPool(1, async (pool) => {
    await pool.open('warm', aTask());
    const tasks = Array.from({ length: 5 }, () => TASKS).flat();
    const seeds = tasks.map((_, index) => index);
    const timed = async (computeMs: number): Promise<number> => {
      const playing = pool.play('oracle', tasks, seeds);
      await new Promise((resolve) => setImmediate(resolve));
      const startedAt = performance.now();
      while (performance.now() - startedAt < computeMs);
      const waitsFrom = performance.now();
      await playing;
      return performance.now() - waitsFrom;
    };
    await timed(0);
    const unblocked = await timed(0);
    const rest = await timed(2 * unblocked);
    assert.ok(rest < unblocked / 2, `${rest} ms of ${unblocked} ms were left to do`);
  });
});

test('a disposed pool refuses, rejects what was under way, and keeps no process alive', async () => {
  const pool = openEmbeddedPool({ workers: 1 });
  await pool.open('a', aTask());
  const underWay = assert.rejects(pool.step('a', 'while :; do :; done'), /the pool is disposed/);
  await pool.dispose();
  await underWay;
  await assert.rejects(pool.play('idle', TASKS, SEEDS), /the pool is disposed/);

  const pools = new URL('../../agent/embedded-pool.ts', import.meta.url).href;
  const forgetful = `
    const { openEmbeddedPool } = await import(${JSON.stringify(pools)});
    const pool = openEmbeddedPool({ workers: 2 });
    await pool.play('idle', [], []);
    await pool.open('a', ${JSON.stringify(aTask())});
    if (process.argv[1] === 'dispose') await pool.dispose();`;
  for (const end of ['dispose', 'forget']) {
    const options = { timeout: 15_000 };
    const args = ['--import', 'tsx', '--input-type=module', '-e', forgetful, end];
    await promisify(execFile)(process.execPath, args, options);
  }
});
