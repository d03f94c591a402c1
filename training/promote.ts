/**
 * Promotion: after each generation the candidate is compared with the best promoted state on the selection tasks, same
 * seeds. A promoted state is one record and a rollback restores all of it.
 */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import { decidePromotion, type PromotionDecision } from '../rl/promotion.ts';
import { once, use, type LoopContext } from './context.ts';
import type { Evaluation } from './evaluate.ts';
import type { Calibrations } from './returns.ts';

export interface PromotedState {
  /** 0 = after the warm-up critic. */
  readonly generation: number;
  readonly policy: CheckpointRef;
  readonly critic: CheckpointRef;
  readonly calibrations: Calibrations;
  readonly klCoefficient: number;
  /** Where fromBase rewriting starts: the run's start model. */
  readonly rewriteBase: CheckpointRef;
  readonly evaluation: Evaluation;
}

export interface PromotionRecord {
  readonly kind: 'promotion';
  readonly decision: PromotionDecision;
  /** The state the next generation starts from. */
  readonly promotedGeneration: number;
}

/** Compared with the best so far, not with the last: small losses must not add up over generations. */
export function promote(
  context: LoopContext,
  candidate: PromotedState,
  best: PromotedState,
  current: PromotedState,
): Promise<PromotionRecord> {
  const { promotion, stages } = context.config;
  const place = {
    generation: candidate.generation,
    stageIndex: stages.length,
    step: 'promotion',
    iteration: 0,
    group: 0,
  };
  return once<PromotionRecord>(context, place, async () => {
    const after = candidate.evaluation.outcomes.selection;
    const pairs = best.evaluation.outcomes.selection.map(({ state }, i) => ({
      best: isStrict(state),
      candidate: isStrict(after[i]?.state ?? null),
    }));
    const decision = decidePromotion(pairs, { significance: promotion.alpha, rateTolerance: promotion.maxDrop });
    const promotedGeneration = decision.promoted ? candidate.generation : current.generation;
    return { content: { kind: 'promotion', decision, promotedGeneration }, uses: [use('candidate', candidate.policy)] };
  });
}

function isStrict(state: string | null): boolean | null {
  return state === null ? null : state === 'strict';
}
