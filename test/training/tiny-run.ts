/** The whole recursion at toy size, for tests: the same loop, storage, sandboxes and model as ever, only small. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openEmbeddedPool } from '../../agent/embedded-pool.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { RunConfig, RunConfigInput } from '../../contracts/config/run-config.ts';
import { elapsedOf, type StoredRecord } from '../../contracts/run-store.ts';
import type { TerminalPool } from '../../contracts/sandbox.ts';
import { openFolderStore } from '../../lineage/folder-store.ts';
import { openBackend } from '../../model/backend.ts';
import { openTokenizer } from '../../model/tokenizer.ts';
import type { LoopContext } from '../../training/context.ts';
import { localRun } from '../../training/local-run.ts';
import { modelConfigOf } from '../../training/open-loop.ts';
import { openPlayers } from '../../training/players/open-players.ts';
import type { ProgressEvent } from '../../training/progress-event.ts';
import type { RunResult } from '../../training/run-result.ts';
import { timedStore } from '../../training/timed-store.ts';
import { warmStart } from '../../training/warm-start.ts';
import { openWeightCache } from '../../training/weight-cache.ts';

type Sections = { readonly [K in keyof RunConfigInput]?: RunConfigInput[K] };

/** Tasks of mostly one sub-goal, a model of one layer, groups of 8 and 16; about a third strict after its warm start. */
const TINY = {
  ...{ preset: 'tiny', generations: 1, stages: ['self-rewrite', 'policy-refine'] },
  tasks: {
    ...{ families: ['tidy'], subGoalWeights: [0.8, 0.2], selection: 16, heldOut: 8, heldOutComposition: 8 },
    ...{ turns: 3, tokensPerTurn: 10, context: 112 },
  },
  model: { dModel: 32, layers: 1, heads: 2, kvHeads: 1, mlp: 48, lags: 4 },
  rollout: { batch: 16, samplers: 0, sandboxWorkers: 0 },
  warmStart: { demonstrations: 3072, rewriteDemonstrations: 384, learningRate: 0.015, batch: 12 },
  warmUpCritic: { iterations: 2, episodes: 16, probeEpisodes: 16, epochs: 1, minibatch: 8 },
  handoff: { episodes: 16, probeEpisodes: 16, epochs: 1, minibatch: 8 },
  selfRewrite: { episodes: 32, maxParents: 24, epochs: 1, batch: 8 },
  policyRefine: { iterations: 2, episodes: 24, minibatch: 8 },
} satisfies RunConfigInput;

/** Sections are merged key by key. */
export function tinyConfig(changes: Sections = {}): RunConfig {
  const merged: Record<string, unknown> = { ...TINY };
  for (const [key, value] of Object.entries(changes)) {
    const before = merged[key];
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
    merged[key] = isSection ? { ...(before as object | undefined), ...value } : value;
  }
  return parseRunConfig(merged);
}

const root = mkdtempSync(join(tmpdir(), 'tiny-run-'));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

export function tinyFolder(): string {
  folders += 1;
  return join(root, String(folders));
}

let warmStarted: Promise<string> | undefined;

/** A new folder that holds the warm start of `tinyConfig()`, which is made once per process: ten seconds. */
export async function warmFolder(): Promise<string> {
  warmStarted ??= (async () => {
    const folder = tinyFolder();
    await withTinyContext(tinyConfig(), { folder }, warmStart);
    return folder;
  })();
  return copyOf(await warmStarted);
}

/** What a run left behind, copied to go on from elsewhere. */
export function copyOf(folder: string): string {
  const copy = tinyFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export interface TinyOptions {
  readonly folder?: string;
  readonly signal?: AbortSignal;
  readonly report?: (event: ProgressEvent) => void;
  /** Puts something between the loop and the sandboxes. */
  readonly terminals?: (pool: TerminalPool) => TerminalPool;
}

/** Opens everything a loop needs, does the work, closes everything, whatever happens. */
export async function withTinyContext<T>(
  config: RunConfig,
  options: TinyOptions,
  work: (context: LoopContext) => Promise<T>,
): Promise<T> {
  const backend = await openBackend();
  const tokenizer = openTokenizer();
  const model = modelConfigOf(config, tokenizer);
  const store = await openFolderStore(options.folder ?? tinyFolder());
  const pool = openEmbeddedPool({ workers: config.rollout.sandboxWorkers });
  const terminals = options.terminals?.(pool) ?? pool;
  const players = openPlayers(config.rollout, backend, { model, tokenizer, terminals });
  const weights = openWeightCache(store, model);
  const before = elapsedOf(await store.list());
  const opened = performance.now();
  try {
    return await work({
      ...{ config, model, store: timedStore(store), terminals, players, tokenizer, weights, tasks: new Map() },
      elapsed: () => before + (performance.now() - opened) / 1000,
      report: options.report ?? (() => undefined),
      signal: options.signal ?? new AbortController().signal,
    });
  } finally {
    await players.close();
    weights.dispose();
    await pool.dispose();
    await store.close();
  }
}

export interface TinyRun {
  readonly result: RunResult;
  readonly records: readonly StoredRecord[];
  readonly folder: string;
}

export async function tinyRun(config: RunConfig, options: TinyOptions = {}): Promise<TinyRun> {
  const folder = options.folder ?? tinyFolder();
  return withTinyContext(config, { ...options, folder }, async (context) => {
    const result = await localRun(context);
    return { result, records: await context.store.list(), folder };
  });
}
