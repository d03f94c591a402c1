/** Small models and random sequences that the model's tests share; every shape option of the decoder occurs. */
import type { ModelConfig } from '../../model/model-config.ts';
import { initialParameters, parameterSpecs, type ModelRole, type Parameters } from '../../model/parameters.ts';
import type { Sequence } from '../../model/sequence-batch.ts';
import { tf } from '../../model/tf.ts';
import { randomStream } from '../../rl/random-stream.ts';

/** Ids below this are tokens; the rest of the vocabulary is padding. */
export const TOKEN_COUNT = 21;

export function smallConfig(options: Partial<ModelConfig> = {}): ModelConfig {
  return {
    ...{ vocabSize: 24, dModel: 16, layers: 2, heads: 4, kvHeads: 2, mlp: 24 },
    ...{ ropeBase: 100, normEps: 1e-5, lags: 4, context: 128, ...options },
  };
}

/** Lags on and off, with one, two and four key-value heads. */
export const SHAPES: readonly ModelConfig[] = [0, 4].flatMap((lags) =>
  [1, 2, 4].map((kvHeads) => smallConfig({ lags, kvHeads })),
);

export function shapeName({ lags, kvHeads }: ModelConfig): string {
  return `lags ${lags}, ${kvHeads} key-value heads`;
}

/** Weights of natural size everywhere, heads and gains included, so that no gradient is small by construction. */
export function randomParameters(config: ModelConfig, role: ModelRole, seed: number): Parameters {
  const stream = randomStream(seed);
  const start = initialParameters(config, role, seed);
  return Object.fromEntries(
    parameterSpecs(config, role).map((spec) => {
      const values = Float32Array.from(start[spec.name]?.dataSync() ?? [], (value) => {
        if (spec.std === null) return 0.6 + 0.8 * stream.uniform();
        return spec.std <= 0.05 ? 0.8 * (stream.uniform() - 0.5) : value;
      });
      start[spec.name]?.dispose();
      return [spec.name, tf.tensor(values, [...spec.shape], 'float32')];
    }),
  );
}

/** Sequences of different lengths with a prompt, then action and forced tokens in turn. */
export function randomSequences(lengths: readonly number[], seed: number, tokenCount = TOKEN_COUNT): Sequence[] {
  const stream = randomStream(seed);
  return lengths.map((length) => ({
    tokenIds: Array.from({ length }, () => stream.int(tokenCount)),
    actionMask: Array.from({ length }, (_, t) => (t >= Math.min(3, length - 1) && stream.uniform() < 0.7 ? 1 : 0)),
  }));
}

export function maxDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = a.length === b.length ? 0 : Infinity;
  for (let i = 0; i < a.length; i += 1) {
    const difference = Math.abs((a[i] as number) - (b[i] as number));
    if (!(difference <= most)) most = difference;
  }
  return most;
}
