/** References to stored weights and groups: what the loop passes around instead of tensors and transcripts. */
import type { Digest } from './digest.ts';
import type { Place } from './run-store.ts';

export interface CheckpointRef {
  readonly kind: 'checkpoint';
  readonly role: 'policy' | 'critic';
  /** Digest of the stored file (weights, and moments where a stage may resume from it). */
  readonly digest: Digest;
  /** Digest of the weights alone. */
  readonly weightsDigest: Digest;
}

/** A stored group of finished episodes. */
export interface GroupRef {
  readonly kind: 'group';
  readonly place: Place;
  /** Digest of the stored file. */
  readonly digest: Digest;
  readonly summary: GroupSummary;
}

/** Rates are over episodes with a verdict; episodes without one stand apart and never count as 0. */
export interface GroupSummary {
  readonly episodes: number;
  readonly noVerdict: number;
  readonly strict: number;
  readonly partialMean: number;
  readonly turns: number;
  readonly actionTokens: number;
  readonly failedCommands: number;
  /** Turns that hit the per-turn token limit. */
  readonly cutTurns: number;
  readonly endedAtLimit: number;
}
