/**
 * Puts together what the loop is given in one process: sandboxes, samplers, tokenizer and weights around a store that the
 * caller has opened. Bare runs keep it in a folder (cli/local-session.ts), ablations in the lineage database.
 */
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { elapsedOf, type RunStore } from '../contracts/run-store.ts';
import type { Backend } from '../model/backend.ts';
import { assertModelConfig, type ModelConfig } from '../model/model-config.ts';
import { openTokenizer, type Tokenizer } from '../model/tokenizer.ts';
import type { LoopContext } from './context.ts';
import { openPlayers } from './players/open-players.ts';
import type { ProgressEvent } from './progress-event.ts';
import { timedStore } from './timed-store.ts';
import { openWeightCache } from './weight-cache.ts';

export interface LoopParts {
  readonly config: RunConfig;
  readonly backend: Backend;
  readonly store: RunStore;
  readonly report: (event: ProgressEvent) => void;
  readonly signal: AbortSignal;
}

export interface OpenedLoop {
  readonly context: LoopContext;
  /** All but the store. */
  close(): Promise<void>;
}

export async function openLoop({ config, backend, report, signal, ...parts }: LoopParts): Promise<OpenedLoop> {
  const store = timedStore(parts.store);
  const tokenizer = openTokenizer();
  const model = modelConfigOf(config, tokenizer);
  assertModelConfig(model);
  const before = elapsedOf(await store.list());
  const terminals = openEmbeddedPool({ workers: config.rollout.sandboxWorkers });
  const players = openPlayers(config.rollout, backend, { model, tokenizer, terminals });
  const weights = openWeightCache(store, model);
  const opened = performance.now();
  return {
    context: {
      ...{ config, model, store, terminals, players, tokenizer, weights, report, signal, tasks: new Map() },
      elapsed: () => before + (performance.now() - opened) / 1000,
    },
    close: async () => {
      await players.close();
      weights.dispose();
      await terminals.dispose();
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
