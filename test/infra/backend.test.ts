/** openBackend on whatever backends this machine has: wasm always, native when it is linked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import * as imported from '@tensorflow/tfjs';
import { isNativeLinked, verifyNative } from '../../infra/native.ts';
import { isNative, openBackend, rawOp, type Backend } from '../../model/backend.ts';
import { REPOSITORY } from './fixtures.ts';

const forced = process.env['TERMINAL_RSI_BACKEND'];
delete process.env['TERMINAL_RSI_BACKEND'];
after(() => {
  if (forced !== undefined) process.env['TERMINAL_RSI_BACKEND'] = forced;
});

const noNative = isNativeLinked() ? false : 'the native backend is not linked here';

function assertComputes({ tf }: Backend): void {
  const product = tf.tidy(() => [...tf.matMul([[1, 2], [3, 4]], [[5, 6], [7, 8]]).dataSync()]); // prettier-ignore
  assert.deepEqual(product, [19, 22, 43, 50]);
  const slope = tf.tidy(() => [
    ...tf
      .grad((x) => x.square().sum())(tf.tensor1d([1, -2]))
      .dataSync(),
  ]);
  assert.deepEqual(slope, [2, -4]);
}

test('wasm computes, without threads of its own and without raw ops', async () => {
  const backend = await openBackend({ prefer: 'wasm' });
  assert.equal(backend.name, 'wasm');
  assert.equal(backend.rawOp, null);
  assert.equal(isNative(), false);
  assert.equal(backend.describe.library, 'tfjs-backend-wasm');
  assert.equal(backend.describe.threads, 1);
  assertComputes(backend);
  assert.throws(() => rawOp('MatMul', {}, [], 1), /needs the native backend/);
});

test('native computes, on the same tf object, and calls raw ops', { skip: noNative }, async () => {
  const wasm = await openBackend({ prefer: 'wasm' });
  const backend = await openBackend({ prefer: 'native', threads: 1 });
  assert.equal(backend.name, 'native');
  assert.equal(isNative(), true);
  assert.equal(backend.tf, wasm.tf);
  assert.equal(backend.describe.threads, 1);
  assert.match(backend.describe.version, /^2\./);
  assertComputes(backend);

  const { tf } = backend;
  const logits = tf.tensor2d([[0, Math.log(3)]]);
  const attrs = { T: 'float32', Tlabels: 'int32' } as const;
  const [loss, gradient] = rawOp('SparseSoftmaxCrossEntropyWithLogits', attrs, [logits, tf.tensor1d([1], 'int32')], 2);
  assert.ok(Math.abs((loss?.dataSync()[0] ?? NaN) - Math.log(4 / 3)) < 1e-6);
  assert.deepEqual([...(gradient?.dataSync() ?? [])].map((value) => Math.round(value * 1e6) / 1e6), [0.25, -0.25]); // prettier-ignore
  const [leaky] = rawOp('LeakyRelu', { T: 'float32', alpha: { float: 0.5 } }, [tf.tensor1d([-2, 2])], 1);
  assert.deepEqual([...(leaky?.dataSync() ?? [])], [-1, 2]);
  const parts = rawOp(
    'Split',
    { T: 'float32', num_split: { int: 2 } },
    [tf.scalar(0, 'int32'), tf.tensor1d([1, 2])],
    2,
  );
  assert.deepEqual(parts.map((part) => part.dataSync()[0]), [1, 2]); // prettier-ignore
  assert.throws(() => rawOp('NoSuchOp', {}, [], 1), /NoSuchOp/);
});

test(
  'the thread count is fixed for a process; asking for the same or for none is fine',
  { skip: noNative },
  async () => {
    await openBackend({ prefer: 'native', threads: 1 });
    await openBackend({ prefer: 'native' });
    for (const prefer of ['native', 'auto'] as const)
      await assert.rejects(openBackend({ prefer, threads: 3 }), /3 needs a new process/);
  },
);

test('tf is the module that an import gives, so model code may use either', async () => {
  const { tf } = await openBackend({ prefer: 'wasm' });
  assert.equal(tf.tensor, imported.tensor);
  assert.equal(tf, createRequire(import.meta.url)('@tensorflow/tfjs'));
});

test('TERMINAL_RSI_BACKEND decides over what the caller prefers', async (t) => {
  t.after(() => delete process.env['TERMINAL_RSI_BACKEND']);
  process.env['TERMINAL_RSI_BACKEND'] = 'wasm';
  assert.equal((await openBackend({ prefer: 'native' })).name, 'wasm');
  process.env['TERMINAL_RSI_BACKEND'] = 'fast';
  await assert.rejects(openBackend(), /'fast'; it must be native, wasm or auto/);
});

test("'auto' goes on with wasm when the linked addon does not load, and says why", { skip: noNative }, () => {
  const code = `
    const require = (await import('node:module')).createRequire(process.cwd() + '/x.js');
    const id = require.resolve('@tensorflow/tfjs-node-gpu');
    require.cache[id] = { id, loaded: true, get exports() { throw new Error('no such library') } };
    const { openBackend } = await import('./model/backend.ts');
    const { name, describe } = await openBackend();
    console.log(JSON.stringify([name, describe.fallback]));
    await openBackend({ prefer: 'native' }).catch((error) => console.log(JSON.stringify(error.message)));`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
  const lines = execFileSync(process.execPath, args, { cwd: REPOSITORY, encoding: 'utf8' }).trim().split('\n');
  const message = 'The native backend does not load (no such library); run: npm run native -- --force';
  assert.deepEqual(lines.map((line) => JSON.parse(line) as unknown), [['wasm', message], message]); // prettier-ignore
});

for (const name of ['wasm', 'native'] as const)
  test(`${name} says nothing of its own when it loads`, { skip: name === 'native' && noNative }, () => {
    const code = `import('./model/backend.ts').then((m) => m.openBackend({ prefer: '${name}' }))
      .then(({ tf }) => console.log(tf.add(1, 2).dataSync()[0]))`;
    const args = ['--import', 'tsx', '--eval', code];
    const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: undefined };
    const output = execFileSync('/bin/sh', ['-c', '"$0" "$@" 2>&1', process.execPath, ...args], {
      cwd: REPOSITORY,
      env,
    });
    assert.equal(output.toString(), '3\n');
  });

test('the linked native build is whole and computes rightly', { skip: noNative }, async () => {
  const result = await verifyNative();
  assert.equal(result.kind, 'ready', JSON.stringify(result));
});
