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
  /** What the next generation starts from: the candidate, or the state that was restored whole. */
  readonly state: PromotedState;
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
    return {
      content: { kind: 'promotion', decision, state: decision.promoted ? candidate : state.current },
      uses: [use('candidate', candidate.policy), use('promoted', state.current.policy)],
    };
  });
}

function isStrict(state: string | null): boolean | null {
  return state === null ? null : state === 'strict';
}
