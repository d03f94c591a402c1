// What the acceptance gates of self-rewrite read and write. Filled by the rewrite stage, read by every file of rl/gates.
// A rewrite is an episode with a parent in its prompt; all its observations come from its own clean execution.
// Source: docs/formulas.md: rewriting verified trajectories given, gates ours.

export type RewriteMode = 'polish' | 'repair';

/** strict or partial; null = no verdict (infrastructure failed). */
export type Verdict = 'strict' | 'partial' | null;

/** sha256 digests of what judged the episode; image is null where there is none. */
export interface VerifierDigests {
  readonly task: string;
  readonly tests: string;
  readonly image: string | null;
}

export interface MeasuredEpisode {
  readonly id: string;
  /** Shell commands in order; the answer `done` is a turn, but no command. */
  readonly commands: readonly string[];
  /** What the terminal showed after each command; same order, same length. */
  readonly observations: readonly string[];
  readonly turns: number;
  readonly actionTokens: number;
  readonly failedCommands: number;
  readonly digests: VerifierDigests;
}

export interface RewriteParent extends MeasuredEpisode {
  readonly verdict: Verdict;
}

export interface RewriteChild extends MeasuredEpisode {
  /** One verdict for each execution of the same commands; flaky tasks are executed several times. */
  readonly verdicts: readonly Verdict[];
}

export interface RewriteCandidate {
  readonly taskId: string;
  readonly family: string;
  readonly flaky: boolean;
  readonly turnLimit: number;
  readonly mode: RewriteMode; // polish: the parent is strict; repair: it is partial
  readonly parentIndex: number; // rank of the parent in the round's logical order
  readonly sample: number; // 0 .. rewritesPerParent-1
  readonly plainPrompt: string; // without the parent's transcript
  readonly workingDirectory: string; // absolute, where the child's shell starts
  readonly parent: RewriteParent;
  /** Command sequences of the ancestors beyond the parent, which is compared always. */
  readonly ancestors: readonly (readonly string[])[];
  readonly child: RewriteChild;
}

export type GateCode =
  | 'parent-unverified'
  | 'no-verdict'
  | 'not-strict'
  | 'verifier-changed'
  | 'not-better'
  | 'duplicate'
  | 'length'
  | 'touches-verifier'
  | 'leaks-parent'
  | 'per-task-cap'
  | 'family-share';

export interface GateOptions {
  readonly families: number; // F, of the run's configuration
  readonly executionsRequired?: number; // of flaky tasks, default 3; other tasks need 1
  readonly perTaskCap?: number; // accepted children per task and round, default 1
  readonly familyShare?: number; // of a round, default 2 / F
  readonly liveCap?: number; // children per task in the live replay, default 10
  readonly liveInReplay?: Readonly<Record<string, number>>; // by task id, before this round
  readonly protectedPaths?: readonly string[]; // absolute; default: see touches-verifier.ts
}

/** Everything the gates looked at, stored with the decision whether accepted or not. */
export interface GateMeasures {
  readonly parentVerdict: Verdict;
  readonly verdicts: readonly Verdict[];
  readonly executionsNeeded: number;
  readonly changedDigests: readonly (keyof VerifierDigests)[];
  readonly turnDelta: number; // child - parent; negative = shorter
  readonly tokenDelta: number;
  readonly failedDelta: number;
  readonly duplicateOf: 'ancestor' | 'sibling' | null;
  readonly similarity: number; // largest bigram Jaccard against ancestors and accepted siblings
  readonly commandCount: number;
  readonly commandLimit: number;
  readonly touched: readonly string[]; // paths, as written
  readonly leaked: readonly string[]; // words
  readonly rankInTask: number | null; // 1 = best of the task's survivors; null = not reached
  readonly taskCap: number | null;
  readonly rankInFamily: number | null; // 1 = first in order; null = not reached
  readonly familyCap: number | null;
}

export interface GateDecision {
  readonly childId: string;
  readonly accepted: boolean;
  readonly gate: GateCode | null; // the first gate that failed; null = accepted
  readonly measures: GateMeasures;
}
