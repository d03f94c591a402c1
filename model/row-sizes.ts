/**
 * How many rows a decoding batch may have so that a row's numbers depend on nothing but its own contents. Kernels work
 * through rows in blocks and treat what is left over by other code, whose sums end in other bits: blocks of 6 with AVX2
 * (8 rows leave 2 over), others elsewhere. Which sizes are sound is therefore tried out here, on the products of the
 * very model, once for each size.
 */
import type { ModelConfig } from './model-config.ts';
import { matmul } from './ops.ts';
import { parameterSpecs } from './parameters.ts';
import { tf } from './tf.ts';

/** All candidates are multiples of this. */
export const ROW_MULTIPLE = 8;

/** What others are compared with: a multiple of every block size known. */
const REFERENCE = 48;

/** No machine is known on which more than one in two candidates is unsound. */
const TRIES = 8;

const tried = new WeakMap<ModelConfig, Map<string, boolean>>();

/** The smallest sound number of rows from `atLeast` on. */
export function soundRows(config: ModelConfig, atLeast: number): number {
  const first = Math.max(1, Math.ceil(atLeast / ROW_MULTIPLE));
  for (let candidate = first; candidate < first + TRIES; candidate += 1) {
    if (isSound(config, candidate * ROW_MULTIPLE)) return candidate * ROW_MULTIPLE;
  }
  throw new Error(`no sound number of rows from ${atLeast} to ${(first + TRIES) * ROW_MULTIPLE} on this machine`);
}

function isSound(config: ModelConfig, rows: number): boolean {
  const known = tried.get(config) ?? new Map<string, boolean>();
  tried.set(config, known);
  const key = `${tf.getBackend()} ${rows}`;
  const sound = known.get(key) ?? productsOf(config).every(([k, n]) => isUniform(rows, k, n));
  known.set(key, sound);
  return sound;
}

/** [K, N] of the products that a step makes of all rows at once. */
function productsOf(config: ModelConfig): [number, number][] {
  const shapes = parameterSpecs(config, 'policy').flatMap(({ name, shape: [a = 0, b = 0] }): [number, number][] => {
    if (b === 0 || name === 'lag') return [];
    return [name === 'embed' ? [b, a] : [a, b]];
  });
  return [...new Map(shapes.map((shape) => [shape.join(' '), shape])).values()];
}

/** Equal rows in, equal rows out, and the same as in a batch of another size. */
function isUniform(rows: number, k: number, n: number): boolean {
  return tf.tidy(() => {
    const weights = tf.tensor2d(wave(k * n, 0.7), [k, n]);
    const row = tf.tensor2d(wave(k, 1.3), [1, k]);
    const [reference, product] = [REFERENCE, rows].map((count) => {
      return matmul(tf.tile(row, [count, 1]), weights).dataSync() as Float32Array;
    });
    return product?.every((value, i) => value === reference?.[i % n]) ?? false;
  });
}

/** Values of changing sign and size, none of which a sum could swallow. */
function wave(length: number, step: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin(1 + i * step));
}
