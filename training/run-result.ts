/** What a finished (or cleanly stopped) run hands to its report: references and numbers, no tensors. */
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Digest } from '../contracts/digest.ts';
import type { PromotionDecision } from '../rl/promotion.ts';
import type { AdmittedTasks } from './admit-tasks.ts';
import type { CalibrationRound } from './calibrate.ts';
import type { Evaluation } from './evaluate.ts';
import type { Handoff } from './handoff.ts';
import type { Refined } from './policy-refine.ts';
import type { RunEnd } from './recursion.ts';
import type { SelfRewritten } from './self-rewrite.ts';
import type { CriticWarmUp } from './warm-up-critic.ts';

export type StageOutcome =
  | { readonly kind: 'self-rewrite'; readonly stageIndex: number; readonly result: SelfRewritten }
  | {
      readonly kind: 'policy-refine';
      readonly stageIndex: number;
      readonly handoff: Handoff;
      readonly result: Refined;
    };

export interface GenerationOutcome {
  readonly generation: number;
  /** Families that joined with it, and where the policy stood on them before; null when none did. */
  readonly admitted: AdmittedTasks | null;
  readonly stages: readonly StageOutcome[];
  readonly evaluation: Evaluation;
  readonly promotion: PromotionDecision;
  readonly calibration: CalibrationRound;
  /** Nats per token to policy_0 on fixed train prompts. */
  readonly klToStart: number | null;
}

export interface RunResult {
  readonly config: RunConfig;
  readonly warmUp: CriticWarmUp;
  readonly start: Evaluation;
  readonly generations: readonly GenerationOutcome[];
  /** The promoted generation at the end; 0 = the start. */
  readonly promotedGeneration: number;
  readonly end: RunEnd;
  readonly contentHead: Digest;
}
