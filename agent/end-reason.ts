/**
 * When an episode is over, and how much a turn may hold. Asked by the rollout loop after every turn and before it
 * samples the next one. Limits are part of the task: an episode they end has its verdict like any other.
 * A full turn (tokensPerTurn) ends the turn, not the episode: what was said so far is run.
 */
import type { TaskLimits } from '../contracts/task.ts';
import type { EndedBy } from '../contracts/trajectory.ts';
import type { Tokenizer } from '../model/tokenizer.ts';

export const DONE = 'done';

/** The command that action tokens spell; `<|end|>` is not part of it. */
export function commandOf(tokenizer: Tokenizer, actionIds: readonly number[]): string {
  const ids = actionIds.at(-1) === tokenizer.special.endOfTurn ? actionIds.slice(0, -1) : actionIds;
  return tokenizer.decode(ids).trim();
}

export const isDone = (command: string): boolean => command === DONE;

/**
 * Tokens the policy may sample in a turn that starts at `length`, `<|end|>` included. When it has sampled that many
 * without `<|end|>`, the mark is forced, which takes one place more.
 */
export function turnRoom(length: number, limits: TaskLimits): number {
  return Math.max(0, Math.min(limits.tokensPerTurn, limits.context - length - 1));
}

/** Null: the episode goes on, with the observation appended. */
export function endReason(
  state: {
    readonly command: string;
    /** Number of the turn just taken, from 1. */
    readonly turn: number;
    /** Tokens up to and including this turn's `<|end|>`. */
    readonly length: number;
    readonly observationTokens: number;
  },
  limits: TaskLimits,
): EndedBy | null {
  if (isDone(state.command)) return 'done';
  if (state.turn >= limits.turns) return 'turn-limit';
  const nextTurnAt = state.length + state.observationTokens + 1;
  return turnRoom(nextTurnAt, limits) < 1 ? 'context-limit' : null;
}
