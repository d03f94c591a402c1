/** Stop rules that end a policy-refine stage: drift from its start, and turns that swell (rl/stop-rules.ts). */
import type { GroupRef } from '../contracts/checkpoint.ts';
import { checkStopRules, DEFAULT_STOP_LIMITS, type StopReason } from '../rl/stop-rules.ts';
import type { LoopContext } from './context.ts';
import type { RefineMetrics } from './refine-metrics.ts';

export interface StageStop {
  readonly reason: StopReason;
  readonly measured: number;
  readonly limit: number;
}

/** Judged after each iteration on its rollouts against the stage's first ones. */
export function stageStop(
  context: LoopContext,
  iterations: readonly RefineMetrics[],
  rollouts: readonly GroupRef[],
): StageStop | null {
  const { stop } = context.config;
  const first = rollouts[0]?.summary;
  const last = rollouts.at(-1)?.summary;
  if (first === undefined || last === undefined || last.turns === 0 || first.turns === 0) return null;
  const decision = checkStopRules(
    {
      selectionStrictRate: null,
      generationsWithoutNewBest: 0,
      stageKl: largest(iterations.at(-1)?.kl ?? null, iterations.at(-1)?.updateKl ?? null),
      tokensPerTurn: last.actionTokens / last.turns,
      stageStartTokensPerTurn: first.actionTokens / first.turns,
      turnLimitShare: last.cutTurns / last.turns,
      spent: { seconds: 0, tokens: 0, episodes: 0 },
    },
    {
      ...DEFAULT_STOP_LIMITS,
      strictTarget: null,
      patience: stop.patience,
      maxStageKl: stop.maxKl,
      maxTokensPerTurnRatio: stop.turnLengthGrowth,
      maxTurnLimitShare: stop.limitHitShare,
    },
  );
  return decision.stop ? { reason: decision.reason, measured: decision.measured, limit: decision.limit } : null;
}

function largest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
