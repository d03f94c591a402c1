/**
 * What a stored record says, as the rows that the database shows of it: names are digests here, numbers there. The same
 * shape is made from a record and its files (project.ts) and read back from the tables (audit/load-projection.ts), so
 * that the audit can compare the two.
 */
import type { CheckpointRef, GroupSummary } from '../../contracts/checkpoint.ts';
import type { Digest } from '../../contracts/digest.ts';
import type { Use } from '../../contracts/run-store.ts';
import type { Split } from '../../contracts/task.ts';
import type { RewriteMode, Trajectory } from '../../contracts/trajectory.ts';

export interface GroupRow extends GroupSummary {
  readonly digest: Digest;
  /** Every episode is of split train. */
  readonly learnable: boolean;
}

export interface TaskRow {
  readonly digest: Digest;
  readonly split: Split;
  readonly family: string;
  readonly instruction: string;
  readonly verifierDigest: Digest;
  readonly subGoals: readonly string[];
  readonly checkWeights: readonly number[];
  readonly turnLimit: number;
  /** The whole task as canonical JSON. */
  readonly body: string;
}

export interface RewriteRow {
  readonly childId: Digest;
  readonly parentId: Digest;
  readonly mode: RewriteMode;
  readonly accepted: boolean;
  readonly gate: string | null;
  readonly turnDelta: number;
  readonly tokenDelta: number;
  readonly failedDelta: number;
  readonly similarity: number;
  /** All measured values as canonical JSON. */
  readonly measures: string;
}

export interface CalibrationRow {
  readonly digest: Digest;
  readonly episodes: number;
  readonly errorOfRaw: number | null;
  readonly errorOfFormerMaps: number | null;
  readonly maps: string;
}

export interface HandoffRow {
  readonly critic: Digest;
  readonly parent: Digest | null;
  readonly explainedVarianceBefore: number | null;
  readonly explainedVarianceAfter: number | null;
  readonly loss: number | null;
}

export interface OutcomeRow {
  readonly set: string;
  readonly taskId: Digest;
  readonly state: string | null;
  readonly checks: readonly number[];
  readonly progress: number;
  readonly turns: number;
  readonly actionTokens: number;
  readonly failedCommands: number;
}

export interface Projection {
  readonly uses: readonly Use[];
  readonly blobs: readonly Digest[];
  readonly checkpoints: readonly Pick<CheckpointRef, 'role' | 'digest' | 'weightsDigest'>[];
  readonly group: GroupRow | null;
  /** Those attempted, in the order of their bodies' digests. */
  readonly tasks: readonly TaskRow[];
  readonly trajectories: readonly Trajectory[];
  readonly rewrites: readonly RewriteRow[];
  readonly calibration: CalibrationRow | null;
  readonly handoff: HandoffRow | null;
  readonly outcomes: readonly OutcomeRow[];
}

export const EMPTY: Projection = {
  uses: [],
  blobs: [],
  checkpoints: [],
  group: null,
  tasks: [],
  trajectories: [],
  rewrites: [],
  calibration: null,
  handoff: null,
  outcomes: [],
};
