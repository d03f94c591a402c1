/**
 * The metrics of our own beside those of the SDK (docs/metrics.md lists them): what a run samples, stores and reaches,
 * counted where it happens. Counts begin at 0 with each worker process; what a run did in all is in the lineage.
 */
import type { MetricMeter } from '@temporalio/common';
import type { StoredNote } from './compute-messages.ts';

/** From a stop check to a rollout of a large model. */
export const STEP_SECONDS = {
  name: 'rsi_step_seconds',
  buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000],
} as const;

export interface RunMetrics {
  /** A record was made (not found) and stored. */
  stored(generation: number, note: StoredNote): void;
  claimed(preset: string): void;
  ended(reason: string): void;
  validated(family: string, tasks: number): void;
}

export function openRunMetrics(meter: MetricMeter): RunMetrics {
  const episodes = meter.createCounter('rsi_episodes_total', '1', 'Episodes stored, by step.');
  const tokens = meter.createCounter('rsi_tokens_total', '1', 'Action tokens of the episodes stored, by step.');
  const records = meter.createCounter('rsi_records_total', '1', 'Records stored, by step.');
  const strict = meter.createGauge('rsi_group_strict_rate', 'float', '1', 'Strict share of the last group, by step.');
  const generation = meter.createGauge('rsi_generation', 'int', '1', 'Generation of the work under way.');
  const seconds = meter.createHistogram(STEP_SECONDS.name, 'float', 's', 'Seconds a record took to make, by step.');
  const claimed = meter.createCounter('rsi_runs_claimed_total', '1', 'Runs claimed, by preset; repeated claims too.');
  const ended = meter.createCounter('rsi_runs_ended_total', '1', 'Runs ended, by reason.');
  const validated = meter.createCounter('rsi_tasks_validated_total', '1', 'Tasks that proved themselves, by family.');
  return {
    stored: (current, { step, seconds: taken, group }) => {
      generation.set(current);
      records.add(1, { step });
      seconds.record(taken, { step });
      if (group === null) return;
      episodes.add(group.episodes, { step });
      tokens.add(group.tokens, { step });
      if (group.verdicts > 0) strict.set(group.strict / group.verdicts, { step });
    },
    claimed: (preset) => claimed.add(1, { preset }),
    ended: (reason) => ended.add(1, { reason }),
    validated: (family, tasks) => validated.add(tasks, { family }),
  };
}
