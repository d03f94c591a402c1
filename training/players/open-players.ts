/** Who plays a run's episodes, as its configuration and this machine say. Called where a loop's context is put together. */
import { availableParallelism } from 'node:os';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import type { Backend } from '../../model/backend.ts';
import type { PlayingContext } from '../rollout.ts';
import { playInProcess } from './in-process.ts';
import type { Players } from './players.ts';
import { openSamplerPool } from './sampler-pool.ts';

/** Each takes some hundred megabytes, and one process feeds and stores for all of them. */
const MOST = 4;

export function openPlayers(
  { samplers, sandboxWorkers }: RunConfig['rollout'],
  { name, describe }: Backend,
  parts: Pick<PlayingContext, 'model' | 'tokenizer' | 'terminals'>,
): Players {
  const count = samplers ?? defaultSamplers(describe.device);
  if (count === 0) return playInProcess(parts);
  // Its own thread per sampler, so that a hung command can be ended.
  return openSamplerPool(count, { model: parts.model, backend: name, sandboxThreads: Math.min(1, sandboxWorkers) });
}

/** On one core, or where the kernels run on a GPU, other processes would only be in the way. */
function defaultSamplers(device: 'cpu' | 'gpu'): number {
  const cores = availableParallelism();
  return device === 'gpu' || cores === 1 ? 0 : Math.min(MOST, cores);
}
