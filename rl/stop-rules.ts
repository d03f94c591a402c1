// Stop rules of a run, checked after each iteration and generation; each ends the run cleanly with its reason.
// target on selection; no new best for 3 generations; stage KL > 0.5 nats per token; tokens per turn twice the stage's
// start; turn limit hit in 20 % of turns; budget of seconds, tokens or episodes.
// Source: docs/formulas.md: ours.

export interface StopLimits {
  readonly strictTarget: number | null; // selection rate, 0 .. 1; null = none
  readonly patience: number; // generations without a new best; default 3
  readonly maxStageKl: number; // nats per token; default 0.5
  readonly maxTokensPerTurnRatio: number; // against the stage's start; default 2
  readonly maxTurnLimitShare: number; // share of turns cut by the per-turn token limit; default 0.2
  readonly budget: {
    readonly seconds: number | null;
    readonly tokens: number | null;
    readonly episodes: number | null;
  };
}

export const DEFAULT_STOP_LIMITS: StopLimits = {
  strictTarget: null,
  patience: 3,
  maxStageKl: 0.5,
  maxTokensPerTurnRatio: 2,
  maxTurnLimitShare: 0.2,
  budget: { seconds: null, tokens: null, episodes: null },
};

/** What is known now; null = not measured (yet), such a rule does not fire. */
export interface StopState {
  readonly selectionStrictRate: number | null;
  readonly generationsWithoutNewBest: number;
  readonly stageKl: number | null;
  readonly tokensPerTurn: number | null;
  readonly stageStartTokensPerTurn: number | null;
  readonly turnLimitShare: number | null;
  readonly spent: { readonly seconds: number; readonly tokens: number; readonly episodes: number };
}

export type StopReason =
  | 'strict-target'
  | 'no-new-best'
  | 'stage-kl'
  | 'tokens-per-turn'
  | 'turn-limit-share'
  | 'budget-seconds'
  | 'budget-tokens'
  | 'budget-episodes';

export type StopDecision =
  | { readonly stop: false }
  | { readonly stop: true; readonly reason: StopReason; readonly measured: number; readonly limit: number };

/** The first rule that fires, in the order above. */
export function checkStopRules(state: StopState, limits: StopLimits = DEFAULT_STOP_LIMITS): StopDecision {
  const start = state.stageStartTokensPerTurn;
  const ratio = state.tokensPerTurn === null || start === null || start <= 0 ? null : state.tokensPerTurn / start;
  const { budget } = limits;
  return (
    atLeast('strict-target', state.selectionStrictRate, limits.strictTarget) ??
    atLeast('no-new-best', state.generationsWithoutNewBest, limits.patience) ??
    above('stage-kl', state.stageKl, limits.maxStageKl) ??
    atLeast('tokens-per-turn', ratio, limits.maxTokensPerTurnRatio) ??
    atLeast('turn-limit-share', state.turnLimitShare, limits.maxTurnLimitShare) ??
    atLeast('budget-seconds', state.spent.seconds, budget.seconds) ??
    atLeast('budget-tokens', state.spent.tokens, budget.tokens) ??
    atLeast('budget-episodes', state.spent.episodes, budget.episodes) ?? { stop: false }
  );
}

function atLeast(reason: StopReason, measured: number | null, limit: number | null): StopDecision | null {
  return measured !== null && limit !== null && measured >= limit ? { stop: true, reason, measured, limit } : null;
}

function above(reason: StopReason, measured: number | null, limit: number): StopDecision | null {
  return measured !== null && measured > limit ? { stop: true, reason, measured, limit } : null;
}
