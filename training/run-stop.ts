/** Stop rules that end a run between generations: target reached, no new best, budget used up (rl/stop-rules.ts). */
import type { GroupRef } from '../contracts/checkpoint.ts';
import { checkStopRules, DEFAULT_STOP_LIMITS } from '../rl/stop-rules.ts';
import { once, type LoopContext } from './context.ts';
import { outcomesOf } from './evaluate.ts';
import { ratesOf, strictShare } from './rates.ts';
import type { RunEnd } from './recursion.ts';

/** Stored, so that a run told again after a kill does not judge an earlier generation by today's clock and counts. */
export interface StopCheck {
  readonly kind: 'stop-check';
  readonly end: RunEnd | null;
}

export function stopCheck(
  context: LoopContext,
  generation: number,
  bestGeneration: number,
  withoutNewBest: number,
): Promise<StopCheck> {
  const place = { generation, stageIndex: context.config.stages.length, step: 'stop-check', iteration: 0, group: 0 };
  return once<StopCheck>(context, place, async () => ({
    content: { kind: 'stop-check', end: await firedRule(context, bestGeneration, withoutNewBest) },
  }));
}

async function firedRule(context: LoopContext, bestGeneration: number, withoutNewBest: number): Promise<RunEnd | null> {
  const { stop } = context.config;
  const groups = (await context.store.list()).flatMap(({ content }) => (isGroup(content) ? [content.summary] : []));
  const decision = checkStopRules(
    {
      selectionStrictRate: strictShare(ratesOf(await outcomesOf(context, bestGeneration, 'selection'))),
      generationsWithoutNewBest: withoutNewBest,
      stageKl: null,
      tokensPerTurn: null,
      stageStartTokensPerTurn: null,
      turnLimitShare: null,
      spent: {
        seconds: context.elapsed(),
        tokens: groups.reduce((sum, { actionTokens }) => sum + actionTokens, 0),
        episodes: groups.reduce((sum, { episodes }) => sum + episodes, 0),
      },
    },
    {
      ...DEFAULT_STOP_LIMITS,
      strictTarget: stop.strictTarget,
      patience: stop.patience,
      budget: {
        seconds: stop.minutes === null ? null : stop.minutes * 60,
        tokens: stop.tokens,
        episodes: stop.episodes,
      },
    },
  );
  return decision.stop ? { reason: decision.reason, measured: decision.measured, limit: decision.limit } : null;
}

function isGroup(content: unknown): content is GroupRef {
  return typeof content === 'object' && content !== null && (content as { kind?: unknown }).kind === 'group';
}
