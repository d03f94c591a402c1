/**
 * A terminal worker that obeys three more commands: `crash` ends it, `hang` blocks it while it says that a command is
 * running, and a chunk with the seed CRASH_SEED ends it until the marker file stands (so: once, or always).
 */
import { existsSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import '../../agent/terminal-worker.ts';
import { epochNow, LIMIT_MS, REQUEST_ID, STARTED_AT, type NumberedRequest } from '../../agent/terminal-messages.ts';

const CRASH_SEED = 666;

/** Named by the tests through the environment: workers share nothing else with them. */
const marker = process.env['FAULTY_WORKER_MARKER'];

parentPort?.on('message', (batch: readonly NumberedRequest[]) => {
  for (const { id, request } of batch) {
    if (request.kind === 'step' && request.command === 'crash') throw new Error('told to crash');
    if (request.kind === 'step' && request.command === 'hang') hang(id);
    if (request.kind === 'play' && request.seeds.includes(CRASH_SEED)) {
      if (marker !== undefined && existsSync(marker)) continue;
      if (marker !== undefined) writeFileSync(marker, '');
      process.exit(7);
    }
  }
});

function hang(id: number): never {
  const activity = workerData as Float64Array;
  activity[REQUEST_ID] = id;
  activity[LIMIT_MS] = 1;
  activity[STARTED_AT] = epochNow();
  for (;;);
}
