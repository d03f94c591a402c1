/**
 * Started by verify.ts with two paths: the tfjs-node-gpu package and the addon to try, which need not be linked yet.
 * Writes one line of JSON.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Tf from '@tensorflow/tfjs';

const [packageRoot = '', addon = ''] = process.argv.slice(2);
const require = createRequire(join(packageRoot, 'package.json'));

// The package asks node-pre-gyp where its addon is; this answers in its place.
const finder = require.resolve('@mapbox/node-pre-gyp');
require.cache[finder] = { id: finder, loaded: true, exports: { find: () => addon } } as unknown as NodeModule;
const tf = require(packageRoot) as typeof Tf;
const wrong: string[] = [];

function check(name: string, actual: Tf.Tensor, expected: readonly number[]): void {
  const values = actual.dataSync();
  const same =
    values.length === expected.length && expected.every((value, i) => Math.abs((values[i] ?? NaN) - value) < 1e-5);
  if (!same) wrong.push(`${name} is [${values.join(', ')}] instead of [${expected.join(', ')}]`);
}

const a = tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3]);
const b = tf.tensor2d([7, 8, 9, 10, 11, 12], [3, 2]);
check('matmul', tf.matMul(a, b), [58, 64, 139, 154]);
check('matmul gradient', tf.grad((x) => tf.matMul(x as Tf.Tensor2D, b).sum())(a), [15, 19, 23, 15, 19, 23]);
check('softmax', tf.softmax(tf.tensor1d([0, Math.log(3)])), [0.25, 0.75]);
const rows = tf.tensor1d([0, 0, 1], 'int32');
check('gather gradient', tf.grad((x) => tf.gather(x, rows).square().sum())(tf.tensor1d([1, 2, 3])), [4, 4, 0]);

const kernels = tf.backend() as unknown as { isUsingGpuDevice: boolean; binding: { TF_Version: string } };
console.log(
  JSON.stringify({ library: kernels.binding.TF_Version, device: kernels.isUsingGpuDevice ? 'gpu' : 'cpu', wrong }),
);
