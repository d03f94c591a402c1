/**
 * The few sets of weights the loop is working with, by digest: loaded from storage when a reference is first used,
 * kept while in use, disposed when others push them out.
 */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import type { RunStore } from '../contracts/run-store.ts';
import type { OptimizerState } from '../model/adamw.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../model/checkpoint.ts';
import type { ModelConfig } from '../model/model-config.ts';
import { disposeParameters, type Parameters } from '../model/parameters.ts';

export interface WeightCache {
  /** Weights of a reference; they stay the cache's own: clone before training. */
  load(ref: CheckpointRef): Promise<Parameters>;
  /** Moments and step count of a checkpoint that a stage resumes from; null when it holds none. */
  loadOptimizer(ref: CheckpointRef): Promise<OptimizerState | null>;
  /** Stores weights (with moments when given) and keeps them at hand; the cache takes `parameters` over. */
  save(role: CheckpointRef['role'], parameters: Parameters, optimizer: OptimizerState | null): Promise<CheckpointRef>;
  dispose(): void;
}

/** An iteration reads the policy, its reference, the critic and the start model, and writes two of them anew. */
const KEPT = 8;

export function openWeightCache(store: RunStore, model: ModelConfig): WeightCache {
  const kept = new Map<string, Parameters>();
  /** Returns the weights that stay: two callers may have loaded the same ones at once. */
  const keep = (digest: string, parameters: Parameters): Parameters => {
    const before = kept.get(digest);
    // Equal weights may be in use under the same digest: those stay.
    if (before !== undefined && before !== parameters) disposeParameters(parameters);
    kept.delete(digest);
    kept.set(digest, before ?? parameters);
    for (const [oldest, old] of kept) {
      if (kept.size <= KEPT) break;
      kept.delete(oldest);
      disposeParameters(old);
    }
    return before ?? parameters;
  };
  const read = async (ref: CheckpointRef) =>
    decodeCheckpoint(await store.getBlob(ref.digest), ref.role, model, `checkpoint ${ref.digest.slice(0, 12)}`);
  return {
    load: async (ref) => {
      const parameters = kept.get(ref.digest) ?? (await loadWeights(read, ref));
      return keep(ref.digest, parameters);
    },
    loadOptimizer: async (ref) => {
      const contents = await read(ref);
      disposeParameters(contents.parameters);
      return contents.optimizer;
    },
    save: async (role, parameters, optimizer) => {
      const { bytes, weightsDigest } = encodeCheckpoint({ role, config: model, parameters, optimizer });
      const digest = await store.putBlob(bytes);
      keep(digest, parameters);
      return { kind: 'checkpoint', role, digest, weightsDigest };
    },
    dispose: () => {
      for (const parameters of kept.values()) disposeParameters(parameters);
      kept.clear();
    },
  };
}

async function loadWeights(
  read: (ref: CheckpointRef) => Promise<ReturnType<typeof decodeCheckpoint>>,
  ref: CheckpointRef,
): Promise<Parameters> {
  const contents = await read(ref);
  if (contents.optimizer !== null) {
    disposeParameters(contents.optimizer.firstMoments);
    disposeParameters(contents.optimizer.secondMoments);
  }
  return contents.parameters;
}
