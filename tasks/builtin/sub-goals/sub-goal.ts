/**
 * What a kind of sub-goal is: how it is drawn, worded and checked, which commands solve it, what a hasty agent does
 * instead. Each kind is one file beside this one; `kinds.ts` is their table. All text is made of vocabulary pieces.
 */
import type { Condition, SubGoal, TaskFile } from '../../../contracts/task.ts';
import type { RandomStream } from '../../../rl/random-stream.ts';
import type { SlotDraw } from '../slot-draw.ts';

export type Slots = SubGoal['slots'];

/** What the terminal showed last: its text as the agent sees it, and the exit code. */
export interface Observation {
  readonly text: string;
  readonly exitCode: number;
}

/** A command, or one that depends on what the command before it showed. */
export type Step = string | ((last: Observation | null) => string);

export type ArgumentKind = 'word' | 'key' | 'number' | 'mode' | 'directory';

export interface DrawnSubGoal {
  readonly slots: Slots;
  readonly instruction: string;
  /** Paths in files and conditions are absolute, `directories` too. */
  readonly files: readonly TaskFile[];
  readonly directories: readonly string[];
  readonly conditions: readonly Condition[];
}

export interface SubGoalKind {
  readonly kind: string;
  /** Its instruction names nothing: at most once in a task, never alone (or prompts of two splits would be equal). */
  readonly unnamed?: boolean;
  /** Slots that stand in commands, by what they hold: a careless agent may get one of them wrong. */
  readonly arguments: Readonly<Record<string, ArgumentKind>>;
  draw(draw: SlotDraw, workdir: string): DrawnSubGoal;
  /** The shortest solution; `directories` are those that the task starts with. */
  solve(slots: Slots, workdir: string, directories: readonly string[]): readonly Step[];
  /** A careless variant, taken with probability `rate`; `repair` follows if its last command failed. */
  readonly hasty?: {
    readonly rate: number;
    steps(slots: Slots, random: RandomStream): readonly Step[];
    repair?(slots: Slots): readonly Step[];
  };
}

export const DEFAULT_FILE_MODE = 0o644;

/** The slot's value; slots are written by the kind that reads them, so a missing one is a fault of the code. */
export function slot(slots: Slots, name: string): string {
  const value = slots[name];
  if (value === undefined) throw new TypeError(`sub-goal without slot ${name}`);
  return value;
}
