/** Child of signals.test.ts: trains and samples for some seconds while signals rain on this thread; prints a digest. */
import { encodeCheckpoint } from '../../model/checkpoint.ts';
import { openBackend } from '../../model/backend.ts';
import { openDecoder } from '../../model/decode.ts';
import { openLearner } from '../../model/learner.ts';
import { initialParameters } from '../../model/parameters.ts';
import { packBatch } from '../../model/sequence-batch.ts';
import { crossEntropy } from '../../training/fine-tune.ts';

const STEPS = 40;

let heard = 0;
process.on('SIGWINCH', () => {
  heard += 1;
});

await openBackend({ prefer: 'native' });
const config = {
  ...{ vocabSize: 424, dModel: 96, layers: 2, heads: 4, kvHeads: 2, mlp: 256 },
  ...{ ropeBase: 1000, normEps: 1e-5, lags: 4, context: 192 },
};
const optimizer = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const learner = openLearner('policy', config, initialParameters(config, 'policy', 1), optimizer, 422);
process.stdout.write('ready\n');
for (let step = 0; step < STEPS; step += 1) {
  const sequences = Array.from({ length: 16 }, (_, i) => {
    const length = 20 + ((i * 7 + step * 3) % 25);
    return {
      tokenIds: Array.from({ length }, (_, t) => (t * 13 + i * 5 + step) % 420),
      actionMask: Array.from({ length }, (_, t) => Number(t > 8 && t % 3 > 0)),
    };
  });
  learner.policyStep(packBatch(sequences), 1e-3, 1, crossEntropy);
  // Lets the handler's turn come.
  await new Promise((resolve) => setImmediate(resolve));
}
const decoder = openDecoder(learner.parameters, config, 64, 422);
for (let t = 0; t < 40; t += 1) decoder.step(new Int32Array(64).fill(t));
decoder.dispose();
const { digest } = encodeCheckpoint({
  role: 'policy',
  config,
  parameters: learner.parameters,
  optimizer: learner.optimizer,
});
process.stdout.write(`${JSON.stringify({ digest, heard })}\n`);
