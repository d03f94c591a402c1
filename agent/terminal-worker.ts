/**
 * A thread of terminals, started by worker-slot.ts. Requests of a batch are worked off in order; answers go back
 * together, but none waits long.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { asFailure } from '../contracts/failures.ts';
import { createTerminalHost } from './terminal-host.ts';
import {
  BUSY_MS,
  epochNow,
  LIMIT_MS,
  REQUEST_ID,
  STARTED_AT,
  type NumberedReply,
  type NumberedRequest,
} from './terminal-messages.ts';

const HOLD_BACK_MS = 10;

const port = parentPort;
if (port === null) throw new TypeError('terminal-worker.ts runs as a worker thread only');
const activity = workerData as Float64Array;
const host = createTerminalHost((limitMs) => {
  const now = epochNow();
  // Requests are worked off in order: what ends is what began.
  if (limitMs === null) activity[BUSY_MS] = (activity[BUSY_MS] ?? 0) + now - (activity[STARTED_AT] ?? now);
  activity[LIMIT_MS] = limitMs ?? 0;
  activity[STARTED_AT] = limitMs === null ? 0 : now;
});

async function answer({ id, request }: NumberedRequest): Promise<NumberedReply> {
  activity[REQUEST_ID] = id;
  try {
    return { id, answer: await host.handle(request) };
  } catch (thrown) {
    return { id, failure: asFailure(thrown, 'sandbox').toRecord() };
  }
}

async function workOff(batch: readonly NumberedRequest[]): Promise<void> {
  let replies: NumberedReply[] = [];
  let lastSent = performance.now();
  for (const [index, request] of batch.entries()) {
    replies.push(await answer(request));
    if (index < batch.length - 1 && performance.now() - lastSent < HOLD_BACK_MS) continue;
    port?.postMessage(replies);
    replies = [];
    lastSent = performance.now();
  }
}

let tail = Promise.resolve();
port.on('message', (batch: readonly NumberedRequest[]) => {
  tail = tail.then(() => workOff(batch));
});
