/** What one policy-refine iteration measured; every name is explained in docs/metrics.md. */
import type { UpdateMetrics } from './ppo-update.ts';

export interface RefineMetrics extends UpdateMetrics {
  readonly episodes: number;
  readonly meanReward: number;
  /** Of the critic on this batch, before it was trained on it. */
  readonly explainedVariance: number | null;
  /** Mean k3 of the rollout's tokens to the stage's start policy, nats per token. */
  readonly kl: number | null;
  readonly importanceMean: number | null;
  readonly importanceTruncated: number;
  /** Why the actor took no step: no episode with a verdict, or all advantages 0. Null: it did. */
  readonly skipped: 'no-verdicts' | 'no-signal' | null;
  /** Among tasks sampled at least twice, the share whose rewards are all equal; null when there are none. */
  readonly equalRewardShare: number | null;
}
