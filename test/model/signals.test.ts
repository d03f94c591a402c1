/**
 * A signal handled in the middle of a kernel must not touch its memory: TensorFlow's MatMul cannot bear one on AVX-512
 * machines, so the loader keeps signals off the threads that compute (infra/native/loader.cc). The same training, with
 * and without a rain of signals, must end alike, and the signals must be heard all the same.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isNativeLinked } from '../../infra/native/linked.ts';

interface Outcome {
  readonly digest: string;
  readonly heard: number;
}

const wanted = process.env['TERMINAL_RSI_BACKEND'] !== 'wasm' && isNativeLinked() && process.platform !== 'win32';

test(
  'training under a rain of signals ends with the same weights',
  { skip: !wanted && 'needs the native backend' },
  async () => {
    const calm = await train(false);
    const rain = await train(true);
    assert.ok(rain.heard > 20, `only ${rain.heard} signals were heard`);
    assert.equal(rain.digest, calm.digest);
  },
);

function train(signals: boolean): Promise<Outcome> {
  const file = fileURLToPath(new URL('./under-signals.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  let timer: NodeJS.Timeout | undefined;
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (signals && timer === undefined && printed.includes('ready'))
        timer = setInterval(() => child.kill('SIGWINCH'), 1);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearInterval(timer);
      const last = printed.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve(JSON.parse(last) as Outcome);
      else reject(new Error(`the training process ended with ${signal ?? code}`));
    });
  });
}
