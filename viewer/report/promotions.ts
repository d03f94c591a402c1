/** What was decided after each generation, on the selection tasks, and how far the policy has drifted by then. */
import type { PromotionDecision } from '../../rl/promotion.ts';
import type { RunResult } from '../../training/run-result.ts';

export interface PromotionReport extends PromotionDecision {
  readonly generation: number;
  /** Nats per token to policy_0 on fixed train prompts. */
  readonly klToStart: number | null;
}

export function promotionReports(result: RunResult): PromotionReport[] {
  return result.generations.map(({ generation, promotion, klToStart }) => ({ generation, ...promotion, klToStart }));
}
