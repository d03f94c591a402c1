/**
 * A sampler: plays pieces of groups for the process that started it, one at a time, on one thread of computing and one
 * of sandboxes. It stores nothing, so it may be killed at any moment. Ends when its parent is gone.
 */
import { openEmbeddedPool } from '../../agent/embedded-pool.ts';
import { asFailure } from '../../contracts/failures.ts';
import { openBackend } from '../../model/backend.ts';
import { decodeCheckpoint } from '../../model/checkpoint.ts';
import { disposeParameters, type Parameters } from '../../model/parameters.ts';
import { openTokenizer } from '../../model/tokenizer.ts';
import { playGroup, type PlayingContext } from '../rollout.ts';
import { BEAT_MS, type FromSampler, type ToSampler } from './sampler-messages.ts';

// A signal to the whole process group (Ctrl-C) is the parent's to answer: it ends its samplers.
process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit());
if (!process.connected) process.exit();

let steps = 0;
let policy: Parameters | null = null;
let opened: Promise<PlayingContext> | null = null;

process.on('message', (message: ToSampler) => {
  void answer(message).catch((error: unknown) =>
    say({ kind: 'failed', failure: asFailure(error, 'compute', 'sampler').toRecord() }),
  );
});

async function answer(message: ToSampler): Promise<void> {
  opened ??= message.kind === 'open' ? open(message) : null;
  const context = await opened;
  if (context === null) throw new Error('the sampler was not opened');
  if (message.kind === 'open') say({ kind: 'ready' });
  else await play(context, message);
}

async function open({ model, sandboxThreads }: Extract<ToSampler, { kind: 'open' }>): Promise<PlayingContext> {
  await openBackend({ threads: 1 });
  return {
    model,
    tokenizer: openTokenizer(),
    terminals: openEmbeddedPool({ workers: sandboxThreads }),
    // Whoever wants it to stop kills it.
    signal: new AbortController().signal,
    stepped: () => void (steps += 1),
  };
}

async function play(
  context: PlayingContext,
  { requests, temperature, weights }: Extract<ToSampler, { kind: 'play' }>,
): Promise<void> {
  if (weights !== null) {
    if (policy !== null) disposeParameters(policy);
    policy = decodeCheckpoint(weights, 'policy', context.model, 'weights sent to a sampler').parameters;
  }
  if (policy === null) throw new Error('a piece came before the weights');
  const beat = setInterval(() => say({ kind: 'alive', steps }), BEAT_MS);
  try {
    const began = performance.now();
    const episodes = await playGroup(context, requests, policy, temperature);
    const time = { seconds: (performance.now() - began) / 1000, sandbox: context.terminals.takeBusySeconds() };
    say({ kind: 'played', played: { episodes, time } });
  } finally {
    clearInterval(beat);
  }
}

function say(message: FromSampler): void {
  // A channel that is closed tells of itself by the disconnect.
  if (process.connected) process.send?.(message, () => undefined);
}
