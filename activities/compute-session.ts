/**
 * What the compute process keeps between jobs, all of the run it worked for last: sandboxes, samplers, weights and the
 * tasks met. The store is opened anew for each job, under the lease of its attempt.
 */
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import type { RunConfig } from '../contracts/config/run-config.ts';
import { Failure } from '../contracts/failures.ts';
import { elapsedOf, type RunStore } from '../contracts/run-store.ts';
import type { TerminalPool } from '../contracts/sandbox.ts';
import type { Task } from '../contracts/task.ts';
import type { Backend } from '../model/backend.ts';
import { assertModelConfig, type ModelConfig } from '../model/model-config.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import type { LoopContext } from '../training/context.ts';
import { requireBackend } from '../training/environment.ts';
import { modelConfigOf } from '../training/open-loop.ts';
import { openPlayers } from '../training/players/open-players.ts';
import type { Players } from '../training/players/players.ts';
import type { ProgressEvent } from '../training/progress-event.ts';
import { timedStore } from '../training/timed-store.ts';
import { openWeightCache, type WeightCache } from '../training/weight-cache.ts';
import type { Job } from './compute-messages.ts';
import { loadRunConfig } from './load-run-config.ts';
import { openRunStore, type Storage } from './run-store.ts';

export interface ComputeSession {
  /** Opens everything that the job needs, does the work, closes the store whatever happens. */
  with<T>(job: Job, told: Told, work: (context: LoopContext) => Promise<T>): Promise<T>;
}

export interface Told {
  readonly report: (event: ProgressEvent) => void;
  readonly signal: AbortSignal;
}

interface KeptRun {
  readonly id: number;
  readonly config: RunConfig;
  readonly model: ModelConfig;
  readonly weights: WeightCache;
  readonly terminals: TerminalPool;
  readonly players: Players;
  readonly tasks: Map<string, Task>;
}

/** `backend`: what this process computes with. */
export function openComputeSession(storage: Storage, backend: Backend): ComputeSession {
  const tokenizer = openTokenizer();
  let store: RunStore | null = null;
  let kept: KeptRun | null = null;
  // The weight cache outlives the stores of single jobs.
  const current = (): RunStore => {
    if (store === null) throw new Failure('storage', 'no job is under way');
    return store;
  };
  const blobs = {
    getBlob: (digest: string) => current().getBlob(digest),
    putBlob: (bytes: Uint8Array) => current().putBlob(bytes),
  } as RunStore;

  const keep = async (id: number, config: RunConfig): Promise<KeptRun> => {
    kept?.weights.dispose();
    await kept?.players.close();
    await kept?.terminals.dispose();
    const model = modelConfigOf(config, tokenizer);
    assertModelConfig(model);
    const terminals = openEmbeddedPool({ workers: config.rollout.sandboxWorkers });
    const players = openPlayers(config.rollout, backend, { model, tokenizer, terminals });
    return { id, config, model, weights: openWeightCache(blobs, model), terminals, players, tasks: new Map() };
  };

  return {
    with: async (job, { report, signal }, work) => {
      const opened = await openRunStore(storage, job.run, job.lease);
      const timed = timedStore(opened);
      store = timed;
      try {
        await requireBackend(opened, backend.name);
        if (kept?.id !== job.run.id) {
          kept = await keep(job.run.id, await loadRunConfig((digest) => opened.getBlob(digest), job.run));
        }
        const { config, model, weights, terminals, players, tasks } = kept;
        const before = elapsedOf(await opened.list());
        const began = performance.now();
        return await work({
          config: withBudget(config, job.budget),
          ...{ model, store: timed, terminals, players, tokenizer, weights, tasks, report, signal },
          elapsed: () => before + (performance.now() - began) / 1000,
        });
      } finally {
        store = null;
        await opened.close();
      }
    },
  };
}

/** Only stop rules are changed while a run goes on. */
function withBudget(config: RunConfig, { minutes, tokens, episodes }: Job['budget']): RunConfig {
  const given = Object.entries({ minutes, tokens, episodes }).filter(([, limit]) => limit !== undefined);
  return given.length === 0 ? config : { ...config, stop: { ...config.stop, ...Object.fromEntries(given) } };
}
