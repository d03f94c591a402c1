/**
 * Shows what a rewrite is: the commands of a sloppy attempt with one or two useless ones removed and/or one missing
 * sub-goal added, two in tasks of more than four. A local improvement of the parent, mostly still not a solution, so the
 * small model learns to rewrite and not to ignore the parent. Commands only; the sandbox replays them to get the
 * observations.
 */
import type { ScriptedEpisode } from '../../../contracts/sandbox.ts';
import type { Task } from '../../../contracts/task.ts';
import type { RandomStream } from '../../../rl/random-stream.ts';
import { streamOf } from '../stream-of.ts';
import { subGoalKind } from '../sub-goals/kinds.ts';
import { slot, type Slots, type Step } from '../sub-goals/sub-goal.ts';

const REMOVE_RATE = 0.8;
const REMOVE_SECOND_RATE = 0.5;
const ADD_RATE = 0.5;
/** One missing sub-goal is added for each so many of the task. */
const SUB_GOALS_PER_ADDITION = 4;

/** The child's commands, `done` last, or null if the parent leaves nothing to improve. */
export function rewriteDemonstration(
  task: Task,
  parentTurns: ScriptedEpisode['turns'],
  seed: number,
): readonly string[] | null {
  const random = streamOf('rewrite', task.id, seed);
  const turns = parentTurns.filter(({ command }) => command !== 'done');
  const useless = random.shuffle(uselessTurns(task, turns));
  const held = parentTurns.at(-1)?.result.checks ?? task.checks.map(() => 0);
  const missing = task.subGoals.flatMap((_, index) => (held[index] === 1 ? [] : [index]));
  if (useless.length === 0 && missing.length === 0) return null;

  let remove = useless.length > 0 && random.uniform() < REMOVE_RATE;
  const add = missing.length > 0 && (random.uniform() < ADD_RATE || useless.length === 0);
  if (!add) remove = useless.length > 0;
  const removed = new Set(remove ? useless.slice(0, random.uniform() < REMOVE_SECOND_RATE ? 2 : 1) : []);
  const kept = turns.filter((_, index) => !removed.has(index)).map(({ command }) => command);
  return [...(add ? withSomeMissing(task, kept, missing, held, random) : kept), 'done'];
}

/** Positions of commands that changed nothing: looks that no lookup needs, failures, repeats. */
function uselessTurns(task: Task, turns: ScriptedEpisode['turns']): number[] {
  const needed = new Set(
    task.subGoals.flatMap(({ kind, slots }) => (kind === 'lookup' ? [`cat ${slot(slots, 'source')}`] : [])),
  );
  const seen = new Set<string>();
  return turns.flatMap(({ command, result }, index) => {
    const isLook = command === 'ls' || command.startsWith('cat ');
    const failed = result.exitCode !== 0;
    const useless = failed || seen.has(command) || (isLook && !needed.has(command));
    // A command that failed may be right the second time, e.g. once the directory is there.
    if (!failed) seen.add(command);
    return useless ? [index] : [];
  });
}

function withSomeMissing(
  task: Task,
  kept: readonly string[],
  missing: readonly number[],
  held: readonly number[],
  random: RandomStream,
): readonly string[] {
  let commands = kept;
  let [left, holding] = [missing, held];
  for (let i = 0; i < Math.ceil(task.subGoals.length / SUB_GOALS_PER_ADDITION) && left.length > 0; i++) {
    const index = random.pick(left);
    commands = withMissing(task, commands, index, holding);
    left = left.filter((other) => other !== index);
    holding = holding.map((check, at) => (at === index ? 1 : check));
  }
  return commands;
}

/**
 * The commands with sub-goal `index` solved too: in front if all that holds comes later and nothing touched it yet,
 * else at the end, without preparations that stand there already.
 */
function withMissing(
  task: Task,
  commands: readonly string[],
  index: number,
  held: readonly number[],
): readonly string[] {
  const goal = task.subGoals[index];
  if (goal === undefined) return commands;
  const { kind, slots } = goal;
  const solution = subGoalKind(kind)
    .solve(slots, task.workdir, task.directories)
    .map((step) => asText(step, slots));
  const touched = Object.values(slots).some((word) => commands.some((command) => command.includes(word)));
  const firstHeld = held.indexOf(1);
  if (!touched && firstHeld > index) return [...solution, ...commands];
  const prepared = (command: string, position: number): boolean =>
    position < solution.length - 1 && commands.includes(command);
  return [...commands, ...solution.filter((command, position) => !prepared(command, position))];
}

/** A step that reads is given what it will read: the value that only the generator knows. */
function asText(step: Step, slots: Slots): string {
  return typeof step === 'string' ? step : step({ text: slot(slots, 'value'), exitCode: 0 });
}
