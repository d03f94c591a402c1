/**
 * A task as it crosses process borders: what the policy is told, the files it starts with, the checks that judge the
 * end, the limits. Plain frozen data; checks are data too, so that they run on the host against a sandbox's files.
 */
import type { Digest } from './digest.ts';

/** train: may be learned from. selection: promotion and stop rules. held-out: reported, decides nothing. */
export type Split = 'train' | 'selection' | 'held-out';

export interface TaskFile {
  readonly path: string;
  readonly content: string;
  /** Octal permission bits, e.g. 0o644. */
  readonly mode: number;
}

/** One fact about the file system at the end. Paths are absolute. */
export type Condition =
  | { readonly kind: 'content-equals'; readonly path: string; readonly content: string }
  | { readonly kind: 'absent'; readonly path: string }
  | { readonly kind: 'mode-equals'; readonly path: string; readonly mode: number };

/** A check holds when all its conditions hold. */
export interface Check {
  readonly name: string;
  readonly weight: number;
  /** Position of the sub-goal it judges, from 0. */
  readonly subGoal: number;
  readonly conditions: readonly Condition[];
}

/** What a built-in task asks for, as the generator knows it: used by scripted agents and reports, never shown. */
export interface SubGoal {
  readonly kind: string;
  readonly slots: Readonly<Record<string, string>>;
}

export interface TaskLimits {
  readonly turns: number;
  readonly tokensPerTurn: number;
  /** Tokens of prompt, actions and observations together. */
  readonly context: number;
  /** Wall seconds of one command in the sandbox. */
  readonly commandSeconds: number;
}

export interface Task {
  readonly kind: 'task';
  /** Content name: digest of instruction, files, checks and limits. */
  readonly id: Digest;
  readonly family: string;
  readonly split: Split;
  readonly instruction: string;
  readonly workdir: string;
  readonly directories: readonly string[];
  readonly files: readonly TaskFile[];
  readonly checks: readonly Check[];
  readonly subGoals: readonly SubGoal[];
  readonly limits: TaskLimits;
  /** Digest of the checks alone: a rewrite whose verifier changed is refused. */
  readonly verifierDigest: Digest;
}
