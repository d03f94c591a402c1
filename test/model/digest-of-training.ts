/** Run as a process: trains a small model a few steps, decodes, and prints the digests of both. */
import { createHash } from 'node:crypto';
import { openBackend } from '../../model/backend.ts';
import { encodeCheckpoint } from '../../model/checkpoint.ts';
import { openDecoder } from '../../model/decode.ts';
import { openLearner } from '../../model/learner.ts';
import { criticFromPolicy, initialParameters } from '../../model/parameters.ts';
import { sampleToken } from '../../model/sample.ts';
import { packBatch } from '../../model/sequence-batch.ts';
import { randomStream } from '../../rl/random-stream.ts';
import { randomSequences, smallConfig, TOKEN_COUNT } from './small-models.ts';

const threads = Number(process.argv[2] ?? 0);
await openBackend(threads > 0 ? { threads } : {});

const options = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const config = smallConfig({ dModel: 32, mlp: 48 });
const policy = openLearner('policy', config, initialParameters(config, 'policy', 3), options, TOKEN_COUNT);
const critic = openLearner('critic', config, criticFromPolicy(config, policy.parameters, 0), options, TOKEN_COUNT);
for (let step = 0; step < 6; step += 1) {
  const batch = packBatch(randomSequences([12, 40, 25, 33], 90 + step));
  policy.policyStep(batch, 1e-2, 1, (logProbs) => ({
    loss: 0,
    dLogProbs: new Float64Array(logProbs.length).fill(-1 / logProbs.length),
    dEntropies: new Float64Array(logProbs.length).fill(-0.01 / logProbs.length),
  }));
  critic.valueStep(batch, 1e-2, (values) => ({ loss: 0, dValues: values.map((value) => value - 1) }));
}
const digestOf = ({ role, parameters, optimizer }: typeof policy): string =>
  encodeCheckpoint({ role, config, parameters, optimizer }).digest;

const hash = createHash('sha256');
const decoder = openDecoder(policy.parameters, config, 8, TOKEN_COUNT);
const streams = Array.from({ length: 8 }, (_, row) => randomStream(row));
let tokens: Int32Array = new Int32Array(8).fill(1);
for (let t = 0; t < 40; t += 1) {
  const logits = decoder.step(tokens);
  hash.update(new Uint8Array(logits.buffer, logits.byteOffset, logits.byteLength));
  tokens = Int32Array.from(
    streams,
    (stream, row) => sampleToken(logits, row * config.vocabSize, TOKEN_COUNT, 1, stream).token,
  );
}
console.log(JSON.stringify({ policy: digestOf(policy), critic: digestOf(critic), decoded: hash.digest('hex') }));
