/**
 * Puts a local run together: backend, sandboxes, tokenizer, run folder, and the context that the loop is given. The
 * durable workers do the same with their own storage; training/ knows of neither.
 */
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { openFolderStore, type FolderStore, type FolderStoreOptions } from '../lineage/folder-store.ts';
import { openBackend, type Backend } from '../model/backend.ts';
import { assertModelConfig, type ModelConfig } from '../model/model-config.ts';
import { openTokenizer, type Tokenizer } from '../model/tokenizer.ts';
import { openWeightCache } from '../training/weight-cache.ts';
import type { LoopContext } from '../training/context.ts';
import { openPlayers } from '../training/players/open-players.ts';
import type { ProgressEvent } from '../training/progress-event.ts';

export interface LocalSession {
  readonly context: LoopContext;
  readonly backend: Backend;
  readonly store: FolderStore;
  close(): Promise<void>;
}

export async function openLocalSession(
  config: RunConfig,
  folder: string,
  report: (event: ProgressEvent) => void,
  signal: AbortSignal,
  options: FolderStoreOptions = {},
): Promise<LocalSession> {
  const tokenizer = openTokenizer();
  const model = modelConfigOf(config, tokenizer);
  assertModelConfig(model);
  // The folder is locked last: nothing after it fails in the ordinary.
  const backend = await openBackend();
  const store = await openFolderStore(folder, options);
  const terminals = openEmbeddedPool({ workers: config.rollout.sandboxWorkers });
  const players = openPlayers(config.rollout, backend, { model, tokenizer, terminals });
  const weights = openWeightCache(store, model);
  const before = (await store.list()).reduce((latest, record) => Math.max(latest, record.elapsed), 0);
  const opened = performance.now();
  return {
    backend,
    store,
    context: {
      config,
      model,
      store,
      terminals,
      players,
      tokenizer,
      weights,
      tasks: new Map(),
      elapsed: () => before + (performance.now() - opened) / 1000,
      report,
      signal,
    },
    close: async () => {
      await players.close();
      weights.dispose();
      await terminals.dispose();
      await store.close();
    },
  };
}

/** The built-in small model: the tokenizer's vocabulary padded to a multiple of 8. */
export function modelConfigOf(config: RunConfig, tokenizer: Tokenizer): ModelConfig {
  return {
    ...config.model,
    vocabSize: Math.ceil(tokenizer.vocabSize / 8) * 8,
    normEps: 1e-5,
    context: config.tasks.context,
  };
}
