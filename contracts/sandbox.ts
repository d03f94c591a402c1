/** What the training loop asks of a place where commands run; implemented by sandbox/ (embedded) and later Docker. */
import type { Task } from './task.ts';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly timedOut: boolean;
}

/** A command's result with the checks probed afterwards on the host (1 = holds). */
export interface StepResult extends CommandResult {
  readonly checks: readonly number[];
}

/** Which scripted agent plays: the one that solves, the one that does nothing, the one that leaves repairs half done. */
export type ScriptKind = 'oracle' | 'idle' | 'sloppy';

/** One episode of a scripted agent, executed for real. */
export interface ScriptedEpisode {
  readonly initialChecks: readonly number[];
  /** Commands that ran; the closing answer `done` is told by `done` alone. */
  readonly turns: readonly { readonly command: string; readonly result: StepResult }[];
  /** False when the turn limit came first. */
  readonly done: boolean;
}

/** Many isolated terminals at once. A rejected promise is always a Failure at the sandbox boundary. */
export interface TerminalPool {
  /** Opens a clean terminal holding the task's files; resolves to the checks of the untouched task. */
  open(episode: string, task: Task): Promise<readonly number[]>;
  step(episode: string, command: string): Promise<StepResult>;
  /** The checks as they count, the episode being over: a task whose tests run only then is tested now. Once, before close. */
  judge(episode: string): Promise<readonly number[]>;
  close(episode: string): Promise<void>;
  /** Plays scripted agents to the end; `seeds[i]` drives the i-th. Used for demonstrations and self-validation. */
  play(kind: ScriptKind, tasks: readonly Task[], seeds: readonly number[]): Promise<readonly ScriptedEpisode[]>;
  /** Runs fixed command lists (rewrite demonstrations), each in a clean terminal. */
  replay(tasks: readonly Task[], commands: readonly (readonly string[])[]): Promise<readonly ScriptedEpisode[]>;
  /** Seconds since it was last asked in which its threads opened terminals, executed commands and probed, added up. */
  takeBusySeconds(): number;
  dispose(): Promise<void>;
}
