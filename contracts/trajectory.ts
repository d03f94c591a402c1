/**
 * A finished episode as recorded: token in, token out. Everything training reads stands here; text is never
 * re-tokenised. Arrays of one length L: tokenIds, actionMask, turnIds, logProbs.
 */
import type { Digest } from './digest.ts';
import type { FailureRecord } from './failures.ts';
import type { Split } from './task.ts';

/**
 * rollout: plain prompt, current policy, train task. rewrite: parent in the prompt. demonstration: scripted agent.
 * evaluation: selection or held-out task. probe: critic's probe set.
 */
export type Purpose = 'rollout' | 'rewrite' | 'demonstration' | 'evaluation' | 'probe';

export type EndedBy = 'done' | 'turn-limit' | 'token-limit' | 'context-limit' | 'time-limit';

export interface Turn {
  /** The policy's answer, as text; `done` ends the episode. */
  readonly command: string;
  /** What the terminal showed, already shaped (head and tail kept). */
  readonly observation: string;
  readonly exitCode: number;
  /** 1 per check that held after this turn, in the task's order. */
  readonly checks: readonly number[];
}

export interface Verdict {
  readonly checks: readonly number[];
  /** Raw progress q, in [0, 1]. */
  readonly progress: number;
  readonly strict: boolean;
}

export type RewriteMode = 'polish' | 'repair';

export interface Trajectory {
  readonly kind: 'trajectory';
  /** Content name: digest of everything below that is not an id or a place. */
  readonly id: Digest;
  readonly purpose: Purpose;
  readonly taskId: Digest;
  readonly family: string;
  readonly split: Split;
  readonly subGoals: readonly string[];
  readonly verifierDigest: Digest;
  /** Weight of each check, in the task's order. */
  readonly checkWeights: readonly number[];
  readonly turnLimit: number;
  /** Digest of the weights that sampled it; null for scripted agents. */
  readonly policy: Digest | null;
  readonly seed: number;
  readonly sample: number;
  /** Sampling temperature; 0 is greedy. */
  readonly temperature: number;
  readonly parentId: Digest | null;
  readonly mode: RewriteMode | null;
  /** Number of leading tokens that are the prompt. */
  readonly promptLength: number;
  readonly tokenIds: readonly number[];
  /** 1 = sampled by the policy. */
  readonly actionMask: readonly number[];
  /** Turn number (from 1) on action tokens, else -1. */
  readonly turnIds: readonly number[];
  /** Log-probability under the sampling distribution; 0 where the mask is 0. */
  readonly logProbs: readonly number[];
  /** Checks of the untouched task, probed once before turn 1. */
  readonly initialChecks: readonly number[];
  readonly turns: readonly Turn[];
  readonly endedBy: EndedBy | null;
  /** Null: infrastructure failed (see failure); such an episode is never trained on and never counted as 0. */
  readonly verdict: Verdict | null;
  readonly failure: FailureRecord | null;
}
