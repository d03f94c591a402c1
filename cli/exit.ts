/**
 * How a command ends: 0 done, 1 failed, 2 wrong usage (130: stopped by Ctrl-C). What a person can put right is one line
 * on stderr; anything else is a defect here, and says how to see its stack.
 */
import { CommanderError } from 'commander';
import { Failure } from '../contracts/failures.ts';
import { INTERRUPTED } from '../infra/stop-signals.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: INTERRUPTED } as const;

/** Prints what went wrong and returns the exit code. */
export function reportError(error: unknown, write: (line: string) => void = console.error): number {
  // commander has printed its own line by then.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (process.env['RSI_DEBUG']) write(error instanceof Error ? (error.stack ?? error.message) : String(error));
  else if (error instanceof Failure) write(`rsi: ${oneLine(error.message)}`);
  else write(`rsi: unexpected: ${oneLine(messageOf(error))} (set RSI_DEBUG=1 for the stack)`);
  return error instanceof Failure && error.boundary === 'config' ? EXIT.usage : EXIT.failed;
}

/** "error: unknown option '--sed'\n(Did you mean --seed?)" as one line of ours. */
export function usageLine(text: string): string {
  return `rsi: ${oneLine(text.replace(/^error: /, ''))}\n`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
