/**
 * A family proves itself before it is trained on, by being played for real: the oracle solves every task in every
 * split, doing nothing solves no check of any, and the sloppy demonstrator lands in between. Called by the tests and
 * by the command line for families of one's own.
 */
import type { ScriptedEpisode, TerminalPool } from '../../contracts/sandbox.ts';
import { Failure } from '../../contracts/failures.ts';
import type { Split, Task, TaskLimits } from '../../contracts/task.ts';
import type { Family } from './family.ts';
import { taskSet } from './task-set.ts';

export interface ValidationOptions {
  readonly tasksPerSplit: number;
  readonly seed: number;
  readonly subGoalWeights?: readonly number[];
  readonly limits?: TaskLimits;
}

export interface SplitValidation {
  readonly family: string;
  readonly split: Split;
  readonly tasks: number;
  /** Share of episodes, `sloppyProgress` mean share of checks. */
  readonly oracleStrict: number;
  readonly sloppyStrict: number;
  readonly sloppyProgress: number;
}

export async function validateFamily(
  family: Family,
  player: Pick<TerminalPool, 'play'>,
  options: ValidationOptions,
): Promise<readonly SplitValidation[]> {
  const reports: SplitValidation[] = [];
  for (const split of family.splits) reports.push(await validateSplit(family, split, player, options));
  const progress = mean(reports.map((report) => report.sloppyProgress));
  // Of short tasks it solves a few dozen by chance, now and then: how much room it leaves is for tests of many.
  if (progress <= 0) {
    const message = `family ${family.name}: the sloppy agent makes no progress, so its demonstrations would teach nothing`;
    throw new Failure('task', message, { subject: family.name });
  }
  return reports;
}

async function validateSplit(
  family: Family,
  split: Split,
  player: Pick<TerminalPool, 'play'>,
  { tasksPerSplit, ...options }: ValidationOptions,
): Promise<SplitValidation> {
  const { seed } = options;
  const tasks = taskSet({ families: [family], split, count: tasksPerSplit, ...options });
  const seeds = tasks.map((_, index) => seed + index);
  const oracle = await player.play('oracle', tasks, seeds);
  const idle = await player.play('idle', tasks, seeds);
  const sloppy = await player.play('sloppy', tasks, seeds);
  for (const [index, task] of tasks.entries()) {
    const [solved, untouched] = [oracle[index], idle[index]];
    if (solved === undefined || untouched === undefined) throw new TypeError('play: an episode is missing');
    refuseUnless(isStrict(solved), task, `the oracle does not solve it (${commandsOf(solved)})`);
    refuseUnless(
      finalChecks(untouched).every((check) => check === 0),
      task,
      'a check holds although nothing was done',
    );
  }
  return {
    family: family.name,
    split,
    tasks: tasks.length,
    oracleStrict: mean(oracle.map((episode) => Number(isStrict(episode)))),
    sloppyStrict: mean(sloppy.map((episode) => Number(isStrict(episode)))),
    sloppyProgress: mean(sloppy.map((episode) => mean(finalChecks(episode)))),
  };
}

export function finalChecks(episode: ScriptedEpisode): readonly number[] {
  return episode.turns.at(-1)?.result.checks ?? episode.initialChecks;
}

export function isStrict(episode: ScriptedEpisode): boolean {
  return episode.done && finalChecks(episode).every((check) => check === 1);
}

function refuseUnless(condition: boolean, task: Task, complaint: string): void {
  if (condition) return;
  const message = `family ${task.family}, ${task.split} task "${task.instruction}": ${complaint}`;
  throw new Failure('task', message, { subject: task.id });
}

const commandsOf = (episode: ScriptedEpisode): string => episode.turns.map((turn) => turn.command).join(' && ');

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
