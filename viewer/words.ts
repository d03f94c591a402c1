/** The words that stand for the codes of a report: why a run ended, what a generation is called. */
import type { RunReport } from './run-report.ts';

const REASONS: Readonly<Record<string, string>> = {
  generations: 'all generations were run',
  unfinished: 'the run is not finished',
  'strict-target': 'the strict target on selection tasks was reached',
  'no-new-best': 'generations went by without a new best',
  'stage-kl': 'a stage drifted too far from its start (KL)',
  'tokens-per-turn': 'turns grew too long',
  'turn-limit-share': 'too many turns hit their token limit',
  'budget-seconds': 'the time budget was used up',
  'budget-tokens': 'the token budget was used up',
  'budget-episodes': 'the episode budget was used up',
};

export function endSentence({
  reason,
  measured,
  limit,
}: Pick<RunReport['end'], 'reason' | 'measured' | 'limit'>): string {
  const words = REASONS[reason] ?? reason;
  if (measured === null || limit === null) return words;
  const counts = reason === 'generations' || reason === 'unfinished';
  return `${words} (${counts ? `${measured} of ${limit}` : `${short(measured)}, limit ${short(limit)}`})`;
}

export function generationName(generation: number): string {
  return generation === 0 ? 'start' : `generation ${generation}`;
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}
