/** Stop rules that end a policy-refine stage: drift from its start, and turns that swell (rl/stop-rules.ts). */
import type { GroupRef, GroupSummary } from '../contracts/checkpoint.ts';
import { checkStopRules, DEFAULT_STOP_LIMITS, type StopReason } from '../rl/stop-rules.ts';
import type { LoopContext } from './context.ts';
import type { RefineMetrics } from './refine-metrics.ts';

export interface StageStop {
  readonly reason: StopReason;
  readonly measured: number;
  readonly limit: number;
}

/** Judged after each iteration on its rollouts, whatever groups they were played in, against the stage's first ones. */
export function stageStop(
  context: LoopContext,
  iterations: readonly RefineMetrics[],
  rollouts: readonly (readonly GroupRef[])[],
): StageStop | null {
  const { stop } = context.config;
  const first = lengthsOf(rollouts[0] ?? []);
  const last = lengthsOf(rollouts.at(-1) ?? []);
  if (last.turns === 0 || first.turns === 0) return null;
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

function lengthsOf(groups: readonly GroupRef[]): Pick<GroupSummary, 'turns' | 'actionTokens' | 'cutTurns'> {
  const total = (measure: (summary: GroupSummary) => number): number =>
    groups.reduce((sum, { summary }) => sum + measure(summary), 0);
  return {
    turns: total(({ turns }) => turns),
    actionTokens: total(({ actionTokens }) => actionTokens),
    cutTurns: total(({ cutTurns }) => cutTurns),
  };
}

function largest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
