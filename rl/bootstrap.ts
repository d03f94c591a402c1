// Percentile bootstrap over tasks for a success rate with several samples per task. Called by evaluation.
// Tasks are resampled, never single episodes: samples of one task are not independent.
// Source: docs/formulas.md: ours.

import { at } from './action-mask.ts';
import { requireCount, requireInRange } from './checks.ts';
import { randomStream } from './random-stream.ts';
import type { Interval } from './wilson.ts';

export interface TaskSamples {
  readonly successes: number;
  readonly samples: number;
}

export interface BootstrapOptions {
  readonly seed: number;
  readonly resamples?: number; // default 2000
  readonly confidence?: number; // default 0.95
}

/** Interval of sum(successes) / sum(samples); tasks without samples are left out; null if none is left. */
export function bootstrapOverTasks(tasks: readonly TaskSamples[], options: BootstrapOptions): Interval | null {
  const resamples = requireCount('bootstrapOverTasks: resamples', options.resamples ?? 2000, 1);
  const confidence = requireInRange('bootstrapOverTasks: confidence', options.confidence ?? 0.95, 0, 1);
  tasks.forEach((task, i) => {
    requireCount(`bootstrapOverTasks: samples of task ${i}`, task.samples);
    requireCount(`bootstrapOverTasks: successes of task ${i}`, task.successes);
    if (task.successes > task.samples) {
      throw new RangeError(
        `bootstrapOverTasks: got ${task.successes} of ${task.samples} for task ${i}; need at most all`,
      );
    }
  });
  const sampled = tasks.filter((task) => task.samples > 0);
  if (sampled.length === 0) return null;
  const stream = randomStream(options.seed);
  const rates = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    let successes = 0;
    let samples = 0;
    for (let i = 0; i < sampled.length; i++) {
      const task = stream.pick(sampled);
      successes += task.successes;
      samples += task.samples;
    }
    rates[r] = successes / samples;
  }
  rates.sort();
  return { low: quantile(rates, (1 - confidence) / 2), high: quantile(rates, (1 + confidence) / 2) };
}

/** Of sorted values, linear between neighbours. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const left = Math.floor(position);
  const right = Math.min(left + 1, sorted.length - 1);
  const low = at(sorted, left, 'quantile');
  return low + (position - left) * (at(sorted, right, 'quantile') - low);
}
