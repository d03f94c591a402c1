/**
 * Groups of trajectories as the loop writes them, made by its own code: scripted episodes and their rewrites in real
 * sandboxes. They are kept in memory, so that nothing but storing is measured afterwards.
 */
import { createHash } from 'node:crypto';
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import { digestOf } from '../contracts/digest.ts';
import type { RunStore, StoredRecord } from '../contracts/run-store.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import type { LoopContext } from '../training/context.ts';
import { demonstrate } from '../training/demonstrations.ts';

export interface RecordedGroup {
  readonly record: StoredRecord;
  readonly file: Uint8Array;
}

/** Of each group's trajectories; some have a parent in the group, as rewrites do. */
const REWRITES = 16;

export async function recordGroups(count: number, trajectories: number): Promise<readonly RecordedGroup[]> {
  const config = parseRunConfig({});
  const recorded: RecordedGroup[] = [];
  const terminals = openEmbeddedPool({ workers: config.rollout.sandboxWorkers });
  try {
    // Demonstrations ask for no more of it: no weights are loaded, nothing is trained.
    const context = {
      ...{ config, terminals, tokenizer: openTokenizer(), tasks: new Map(), store: memoryStore(recorded) },
      ...{ elapsed: () => 0, report: () => undefined, signal: new AbortController().signal },
    } as unknown as LoopContext;
    for (let iteration = 0; iteration < count; iteration += 1) {
      const place = { generation: 0, stageIndex: -1, step: 'demonstrations', iteration, group: 0 };
      await demonstrate(context, place, { episodes: trajectories - REWRITES, rewrites: REWRITES });
    }
  } finally {
    await terminals.dispose();
  }
  return recorded;
}

function memoryStore(recorded: RecordedGroup[]): RunStore {
  const files = new Map<string, Uint8Array>();
  return {
    read: () => Promise.resolve(null),
    write: (record) => {
      const file = files.get(record.blobs[0] ?? '');
      if (file !== undefined) recorded.push({ record, file });
      return Promise.resolve(record);
    },
    list: () => Promise.resolve(recorded.map(({ record }) => record)),
    putBlob: (bytes) => {
      const digest = createHash('sha256').update(bytes).digest('hex');
      files.set(digest, bytes);
      return Promise.resolve(digest);
    },
    getBlob: (digest) => Promise.resolve(files.get(digest) ?? new Uint8Array()),
    contentHead: () => Promise.resolve(digestOf(recorded.length)),
  };
}
