/**
 * Ctrl-C at every moment of `rsi up`, kill -9, a second start: nothing is left running, and the next start works. One home
 * folder for all, on a path with a space and letters beyond ASCII, while the usual ports are taken.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinary } from '../../infra/temporal/binary.ts';
import { stopStack } from '../../workers/stop-stack.ts';
import { leftOf, processesOf } from './home-processes.ts';
import { runCli, type Ended } from './run-cli.ts';

/** Until a process that was told to end has ended; workers have 25 seconds at most. */
const END_SECONDS = 30;
const UP_SECONDS = 90;

const root = mkdtempSync(join(tmpdir(), 'rsi stop äø '));
// The database server is another user's: below a closed folder its data would have to lie elsewhere.
chmodSync(root, 0o755);
const home = join(root, 'home');

const PORTS = [7233, 8233];
let isPossible = true;
before(async () => {
  isPossible = await findBinary(() => undefined).then(
    () => true,
    (error: Error) => (console.error(`SKIPPED: rsi up is not tested: ${error.message}`), false),
  );
});
after(async () => {
  await stopStack(home, END_SECONDS * 1000, () => undefined);
  rmSync(root, { recursive: true, force: true });
});

const ENV = { RSI_HOME: home, TEMPORAL_ADDRESS: '', DATABASE_URL: '', RSI_METRICS: '' };

function stackTest(name: string, work: () => Promise<void>): void {
  test(name, { timeout: 180_000 }, async (t) => {
    if (!isPossible) return t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
    await work();
  });
}

interface Up {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts `rsi up` and comes back when it has said that, or when it has ended. */
async function startUp(said: RegExp): Promise<Up> {
  let child: ChildProcess | null = null;
  let ended: Promise<Ended> | null = null;
  const seen = new Promise<void>((resolve) => {
    ended = runCli(['up'], {
      env: ENV,
      onStart: (own) => (child = own),
      watch: (stdout) => {
        if (said.test(stdout)) resolve();
      },
    });
    void ended.then(() => resolve());
  });
  await Promise.race([seen, sleep(UP_SECONDS * 1000, undefined, { ref: false })]);
  return { child: child as unknown as ChildProcess, ended: ended as unknown as Promise<Ended> };
}

/** Ctrl-C, as the terminal sends it. */
async function interrupt({ child, ended }: Up): Promise<Ended> {
  const began = performance.now();
  child.kill('SIGINT');
  const result = await ended;
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds < END_SECONDS, `it took ${seconds.toFixed(0)} s`);
  assert.deepEqual(await leftOf(home, 2), []);
  return result;
}

const MOMENTS: readonly (readonly [string, () => Promise<Up>])[] = [
  ['Postgres starts', () => untilFile('postgres')],
  ['Temporal starts', () => startUp(/^Temporal: .*\/temporal \(/m)],
  ['the workers start', () => startUp(/^Temporal: .* \(started\), Web UI/m)],
];

for (const [moment, reach] of MOMENTS) {
  stackTest(`Ctrl-C while ${moment} ends rsi up with everything it has begun`, async () => {
    const { code, stdout, stderr } = await interrupt(await reach());
    assert.match(stdout, /^stopping\n([^]*\n)?Stopped before it was up\.\n$/m);
    assert.doesNotMatch(stdout, /^Up\./m);
    assert.deepEqual([code, stderr], [130, '']);
  });
}

async function untilFile(name: string): Promise<Up> {
  let child: ChildProcess | null = null;
  const ended = runCli(['up'], { env: ENV, onStart: (own) => (child = own) });
  while (!existsSync(join(home, name))) await sleep(5);
  return { child: child as unknown as ChildProcess, ended };
}

stackTest(
  'the next rsi up works; taken ports are said and passed over; kill -9, then rsi down leaves nothing',
  async () => {
    const taken = await Promise.all(PORTS.map(occupy));
    const up = await startUp(/^Up\./m);
    const second = await runCli(['up'], { env: ENV });
    assert.match(second.stdout, /^Attached to what process \d+ has started in .*home\n[^]*It is up already\.\n$/);
    assert.equal(second.code, 0);
    assert.ok(processesOf(home).length >= 5, processesOf(home).join());
    up.child.kill('SIGKILL');
    const { stdout } = await up.ended;
    const said = /^Temporal: port .*$/m.exec(stdout)?.[0] ?? '';
    for (const port of PORTS.filter((_, i) => taken[i] !== null)) {
      assert.match(said, new RegExp(`port ${port} is taken by process ${process.pid} \\(.+\\), so it is \\d+`));
    }
    for (const server of taken) server?.close();

    const down = await runCli(['down'], { env: ENV });
    assert.equal(down.code, 0);
    assert.match(down.stdout, /^Stopped a Temporal server that was left behind \(127\.0\.0\.1:\d+\)$/m);
    assert.match(down.stdout, /^Stopped a database server that was left behind$/m);
    assert.deepEqual(await leftOf(home, END_SECONDS), []);
  },
);

stackTest('and once more: rsi up works, and Ctrl-C when it is up ends it in order', async () => {
  const { code, stdout, stderr } = await interrupt(await startUp(/^Up\./m));
  assert.match(stdout, /\nUp\. Ctrl-C stops it\.\nstopping\n$/);
  assert.deepEqual([code, stderr], [0, '']);
});

/** Null where somebody else has the port already, which does as well. */
function occupy(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
