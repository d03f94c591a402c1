/**
 * Promotion: after each generation the candidate is compared with the best so far (not with the last: small losses must
 * not add up) on the selection tasks, same seeds.
 */
import { decidePromotion, type PromotionDecision } from '../rl/promotion.ts';
import { once, use, type LoopContext } from './context.ts';
import { outcomesOf } from './evaluate.ts';
import type { PromotedState, RunState } from './recursion.ts';

export interface PromotionRecord {
  readonly kind: 'promotion';
  readonly decision: PromotionDecision;
  /** The generation whose state the next one starts from. */
  readonly promotedGeneration: number;
}

export function promote(context: LoopContext, candidate: PromotedState, state: RunState): Promise<PromotionRecord> {
  const { promotion, stages } = context.config;
  const { generation } = candidate;
  const place = { generation, stageIndex: stages.length, step: 'promotion', iteration: 0, group: 0 };
  return once<PromotionRecord>(context, place, async () => {
    const before = await outcomesOf(context, state.bestGeneration, 'selection');
    const after = await outcomesOf(context, generation, 'selection');
    const pairs = before.map((outcome, i) => ({
      best: isStrict(outcome.state),
      candidate: isStrict(after[i]?.state ?? null),
    }));
    const decision = decidePromotion(pairs, { significance: promotion.alpha, rateTolerance: promotion.maxDrop });
    const promotedGeneration = decision.promoted ? generation : state.current.generation;
    return {
      content: { kind: 'promotion', decision, promotedGeneration },
      uses: [use('candidate', candidate.policy), use('promoted', state.current.policy)],
    };
  });
}

function isStrict(state: string | null): boolean | null {
  return state === null ? null : state === 'strict';
}
