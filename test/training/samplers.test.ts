/** Sampler processes: what they play is what this process would play, and their life is bounded by their owner's. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openBackend } from '../../model/backend.ts';
import { disposeParameters, initialParameters } from '../../model/parameters.ts';
import { Interrupted, type LoopContext } from '../../training/context.ts';
import type { EpisodeRequest, PlayedEpisode, PlayedEpisodes } from '../../training/episode.ts';
import type { ActingPolicy } from '../../training/players/players.ts';
import { openSamplerPool, type SamplerPool } from '../../training/players/sampler-pool.ts';
import type { SamplerOptions } from '../../training/players/sampler-process.ts';
import { requestsOf } from './requests.ts';
import { tinyConfig, tinyRun, warmFolder, withTinyContext } from './tiny-run.ts';

/** Long enough that something may happen in the middle. */
const MANY = 128;

let played: Promise<string> | undefined;

/** The content head of a run that plays where it computes. */
async function inProcess(): Promise<string> {
  played ??= warmFolder()
    .then((folder) => tinyRun(tinyConfig(), { folder }))
    .then(({ result }) => result.contentHead);
  return played;
}

for (const samplers of [1, 2]) {
  test(`a run on ${samplers} sampler${samplers === 1 ? '' : 's'} ends with the head of one in a single process`, async () => {
    const config = tinyConfig({ rollout: { samplers, sandboxWorkers: 1 } });
    const { result } = await tinyRun(config, { folder: await warmFolder() });
    assert.equal(result.contentHead, await inProcess());
  });
}

interface Playing {
  readonly context: LoopContext;
  readonly pool: SamplerPool;
  readonly acting: ActingPolicy;
  readonly requests: readonly EpisodeRequest[];
  /** On the samplers, in one piece for each. */
  readonly play: (signal?: AbortSignal) => Promise<readonly PlayedEpisode[]>;
  /** The same, here. */
  readonly here: () => Promise<readonly PlayedEpisode[]>;
}

/** All but the clocks. */
const episodesOf = ({ episodes }: PlayedEpisodes): readonly PlayedEpisode[] => episodes;

/** Two samplers that have started. */
async function withSamplers(
  changes: Partial<SamplerOptions>,
  work: (playing: Playing) => Promise<void>,
): Promise<void> {
  const { name: backend } = await openBackend();
  await withTinyContext(tinyConfig(), {}, async (context) => {
    const { model, players, signal } = context;
    // Untrained, so it says anything at all.
    const parameters = initialParameters(model, 'policy', 1);
    const policy = { kind: 'checkpoint', role: 'policy', digest: 'untrained', weightsDigest: 'untrained' } as const;
    const acting = { parameters, policy, temperature: 1 };
    const requests = await requestsOf(context, MANY);
    const pool = openSamplerPool(2, { model, backend, sandboxThreads: 1, ...changes });
    const play = (until = signal) => pool.play(requests, acting, 2, until).then(episodesOf);
    try {
      await work({
        context,
        pool,
        acting,
        requests,
        play,
        here: () => players.play(requests, acting, 1, signal).then(episodesOf),
      });
    } finally {
      await pool.close();
      disposeParameters(parameters);
    }
  });
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function gone(pids: readonly number[], withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (pids.some(isAlive)) {
    assert.ok(performance.now() < until, `of ${pids.join(', ')} some live on`);
    await sleep(20);
  }
}

/** Starts the samplers with a small group, then the large one, and waits until it is well begun. */
async function begun({ pool, requests, acting, context, play }: Playing, signal?: AbortSignal) {
  await pool.play(requests.slice(0, 16), acting, 2, context.signal);
  const pids = pool.pids();
  assert.equal(pids.length, 2);
  let isOver = false;
  const played = play(signal).finally(() => (isOver = true));
  played.catch(() => undefined);
  await sleep(150);
  assert.equal(isOver, false, 'the group was over before anything could happen to it');
  return { pids: pids as [number, number], played };
}

for (const [what, signal] of [
  ['killed', 'SIGKILL'],
  ['stopped for good', 'SIGSTOP'],
] as const) {
  test(`a sampler that is ${what} in mid group is replaced, and the group comes out alike`, async () => {
    await withSamplers({ silentBeats: 6 }, async (playing) => {
      const { pids, played } = await begun(playing);
      process.kill(pids[0], signal);
      assert.deepEqual(await played, await playing.here());
      assert.ok(!playing.pool.pids().includes(pids[0]));
      await gone([pids[0]], 1000);
    });
  });
}

test('what samplers and their sandboxes were at is added up', async () => {
  await withSamplers({}, async ({ pool, requests, acting, context }) => {
    const began = performance.now();
    const { time } = await pool.play(requests, acting, 2, context.signal);
    const passed = (performance.now() - began) / 1000;
    assert.ok(time.seconds > 0 && time.seconds <= 2 * passed, `${time.seconds} in ${passed} s`);
    assert.ok(time.sandbox > 0 && time.sandbox < time.seconds, `${time.sandbox} of ${time.seconds} s`);
  });
});

test('signals meant for the process group are not a sampler’s to answer', async () => {
  await withSamplers({}, async (playing) => {
    const { pids, played } = await begun(playing);
    for (const pid of pids) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
    assert.deepEqual(await played, await playing.here());
    assert.deepEqual(playing.pool.pids(), pids);
  });
});

test('an abort ends the samplers at work at once, and the pool goes on with new ones', async () => {
  await withSamplers({}, async (playing) => {
    const stop = new AbortController();
    const { pids, played } = await begun(playing, stop.signal);
    const from = performance.now();
    stop.abort();
    await assert.rejects(played, Interrupted);
    assert.ok(performance.now() - from < 1000, 'it took too long');
    await gone(pids, 1000);
    await assert.rejects(playing.play(stop.signal), Interrupted);
    const { context, pool, acting, requests } = playing;
    const some = requests.slice(0, 16);
    const expected = episodesOf(await context.players.play(some, acting, 1, context.signal));
    assert.deepEqual(episodesOf(await pool.play(some, acting, 2, context.signal)), expected);
  });
});

test('closing ends all samplers, also those at work', async () => {
  await withSamplers({}, async (playing) => {
    const { pids, played } = await begun(playing);
    await playing.pool.close();
    assert.deepEqual(pids.filter(isAlive), []);
    await assert.rejects(played, /the samplers are closed/);
  });
});

test('what ends every sampler fails after three of them', async () => {
  const entry = new URL('./doomed-sampler.ts', import.meta.url);
  await withSamplers({ entry }, async ({ play }) => {
    await assert.rejects(play(), {
      ...{ name: 'Failure', boundary: 'compute', retryable: true },
      message: /^sampler \d+ ended with 7; 3 samplers were lost over the same episodes$/,
    });
  });
});

test('samplers go when their parent was killed', async () => {
  const parent = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('./sampler-parent.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  }); // prettier-ignore
  for await (const line of createInterface({ input: parent.stdout })) {
    const pids = line.split(' ').slice(1).map(Number);
    assert.equal(pids.filter(isAlive).length, 2);
    parent.kill('SIGKILL');
    await gone(pids, 5000);
    break;
  }
});
