/**
 * What the policy is shown of a command: its output as a terminal would leave it, shortened in the middle. One place
 * for scripted agents, demonstrations, rollouts and rewrites, so that the same result always reads the same.
 */
import type { CommandResult } from '../contracts/sandbox.ts';

/** Characters kept of a longer text. A character outside the vocabulary costs a token. */
export interface ObservationCap {
  readonly head: number;
  readonly tail: number;
}

export const DEFAULT_CAP: ObservationCap = { head: 96, tail: 32 };

const GAP = '\n...\n';

export function observationOf(
  result: Pick<CommandResult, 'stdout' | 'stderr' | 'exitCode' | 'timedOut'>,
  cap: ObservationCap = DEFAULT_CAP,
): string {
  // How far a command came before the clock ended it differs from machine to machine.
  if (result.timedOut) return exitLine(result.exitCode);
  const text = [result.stdout, result.stderr]
    .map((part) => part.replace(/\n$/, ''))
    .filter((part) => part !== '')
    .join('\n');
  if (text === '') return result.exitCode === 0 ? '' : exitLine(result.exitCode);
  return shorten(text, cap);
}

const exitLine = (exitCode: number): string => `exit ${exitCode}`;

function shorten(text: string, { head, tail }: ObservationCap): string {
  if (text.length <= head + tail + GAP.length) return text;
  return `${text.slice(0, wholeCharacter(text, head))}${GAP}${text.slice(wholeCharacter(text, text.length - tail))}`;
}

/** The cut moved off the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
