/** Run as a process by main.ts: measures one backend at the demo's shapes and prints the numbers as JSON. */
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import { openBackend } from '../model/backend.ts';
import { openDecoder } from '../model/decode.ts';
import { openLearner } from '../model/learner.ts';
import { initialParameters } from '../model/parameters.ts';
import { sampleToken } from '../model/sample.ts';
import { packBatch } from '../model/sequence-batch.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import { randomStream } from '../rl/random-stream.ts';

export interface Measured {
  readonly backend: string;
  /** Median of a policy step on 32 episodes of 96 tokens. */
  readonly trainStepMs: number;
  /** Mean of a decoding step of 128 rows over 96 positions, sampling left out. */
  readonly decodeStepMs: number;
  /** Sampling included. */
  readonly tokensPerSecond: number;
  readonly residentMb: number;
}

const EPISODES = 32;
const LENGTH = 96;
const PROMPT = 40;
const ROWS = 128;
const SECONDS = 6;

const config = parseRunConfig({});
const tokenizer = openTokenizer();
const { describe, name } = await openBackend();
const model = {
  ...config.model,
  ...{ vocabSize: Math.ceil(tokenizer.vocabSize / 8) * 8, normEps: 1e-5, context: config.tasks.context },
};
const stream = randomStream(1);
const start = initialParameters(model, 'policy', 1);

function trainStepMs(): number {
  const learner = openLearner('policy', model, start, config.optimizer, tokenizer.vocabSize);
  const batch = packBatch(
    Array.from({ length: EPISODES }, () => ({
      tokenIds: Array.from({ length: LENGTH }, () => stream.int(tokenizer.vocabSize)),
      actionMask: Array.from({ length: LENGTH }, (_, t) => (t >= PROMPT ? 1 : 0)),
    })),
  );
  const times: number[] = [];
  const began = performance.now();
  while (times.length < 3 || performance.now() - began < SECONDS * 1000) {
    const from = performance.now();
    learner.policyStep(batch, 1e-4, 1, (logProbs) => ({
      loss: 0,
      dLogProbs: new Float64Array(logProbs.length).fill(-1 / logProbs.length),
      dEntropies: null,
    }));
    times.push(performance.now() - from);
  }
  learner.dispose();
  // The first steps warm up.
  const steady = times.slice(1).sort((a, b) => a - b);
  return steady[Math.floor(steady.length / 2)] as number;
}

function decoding(): { decodeStepMs: number; tokensPerSecond: number } {
  let steps = 0;
  let stepping = 0;
  const began = performance.now();
  do {
    const decoder = openDecoder(start, model, ROWS, tokenizer.vocabSize);
    let tokens: Int32Array = new Int32Array(ROWS).fill(1);
    for (let t = 0; t < LENGTH; t += 1) {
      const from = performance.now();
      const logits = decoder.step(tokens);
      stepping += performance.now() - from;
      steps += 1;
      tokens = tokens.map((_, row) => sampleToken(logits, row * model.vocabSize, tokenizer.vocabSize, 1, stream).token);
    }
    decoder.dispose();
  } while (performance.now() - began < SECONDS * 1000);
  return { decodeStepMs: stepping / steps, tokensPerSecond: (1000 * steps * ROWS) / (performance.now() - began) };
}

const measured: Measured = {
  backend: `${name}, ${describe.library} ${describe.version}, ${describe.device}, ${describe.threads ?? '?'} threads`,
  trainStepMs: trainStepMs(),
  ...decoding(),
  residentMb: process.memoryUsage.rss() / 2 ** 20,
};
console.log(JSON.stringify(measured));
