/**
 * The demonstrator that leaves room to improve: it takes a contiguous part of the sub-goals from a random start (so
 * that what it shows is mostly "the next one after the last"), looks around needlessly, errs now and then, and repairs
 * a failed command less than half the time. Its demonstrations are the small model's warm start.
 */
import type { SubGoal, Task } from '../../../contracts/task.ts';
import type { RandomStream } from '../../../rl/random-stream.ts';
import { isHeldOutPair } from '../held-out-pairs.ts';
import { streamOf } from '../stream-of.ts';
import { subGoalKind } from '../sub-goals/kinds.ts';
import type { ArgumentKind } from '../sub-goals/sub-goal.ts';
import { DIRECTORIES, FILE_WORDS, KEYS, MODES, NUMBERS } from '../vocabulary.ts';
import { takeSteps, type Script } from './script.ts';

const STOP_RATE = 0.55;
/** In longer tasks it stops as much less often: a tenth of its attempts goes through all sub-goals, of four as of eight. */
const FULL_STOP_RATE_UP_TO = 4;
const WRONG_ARGUMENT_RATE = 0.08;
const LOOK_BEFORE_RATE = 0.22;
const LOOK_AFTER_RATE = 0.22;
const DUPLICATE_RATE = 0.06;
const REPAIR_RATE = 0.4;

export function* sloppy(task: Task, seed: number): Script {
  const random = streamOf('sloppy', task.id, seed);
  for (const goal of chooseSegment(task.subGoals, random)) {
    if (random.uniform() < LOOK_BEFORE_RATE) yield random.int(2) === 0 ? 'ls' : `cat ${someFile(task, random)}`;
    yield* attempt(random.uniform() < WRONG_ARGUMENT_RATE ? spoil(goal, random) : goal, task, random);
    if (random.uniform() < LOOK_AFTER_RATE) yield `cat ${touchedFile(goal) ?? someFile(task, random)}`;
  }
}

/** Stops after each sub-goal with STOP_RATE or less; the start is uniform over what leaves room for the part. */
function chooseSegment(goals: readonly SubGoal[], random: RandomStream): readonly SubGoal[] {
  const stopRate = STOP_RATE * Math.min(1, FULL_STOP_RATE_UP_TO / goals.length);
  let length = 1;
  while (length < goals.length && random.uniform() >= stopRate) length += 1;
  const start = random.int(goals.length - length + 1);
  return goals.slice(start, start + length);
}

function* attempt({ kind, slots }: SubGoal, task: Task, random: RandomStream): Script {
  const definition = subGoalKind(kind);
  const { hasty } = definition;
  const isHasty = hasty !== undefined && random.uniform() < hasty.rate;
  const steps = isHasty ? hasty.steps(slots, random) : definition.solve(slots, task.workdir, task.directories);
  const last = yield* takeSteps(steps);
  const final = steps.at(-1);
  if (typeof final === 'string' && random.uniform() < DUPLICATE_RATE) yield final;
  if (isHasty && hasty.repair && last?.exitCode !== 0 && random.uniform() < REPAIR_RATE) {
    yield* takeSteps(hasty.repair(slots));
  }
}

const ARGUMENTS: Readonly<Record<ArgumentKind, readonly string[]>> = {
  word: FILE_WORDS,
  key: KEYS,
  number: NUMBERS,
  mode: MODES,
  directory: DIRECTORIES,
};

/** The sub-goal with one argument wrong; held-out pairs are not shown by mistake either. */
export function spoil(goal: SubGoal, random: RandomStream): SubGoal {
  const candidates = Object.entries(subGoalKind(goal.kind).arguments);
  if (candidates.length === 0) return goal;
  const [name, argument] = random.pick(candidates);
  const wrong = ARGUMENTS[argument].filter(
    (word) => word !== goal.slots[name] && !isHeldOutPair(`${goal.kind}.${name}`, word),
  );
  return { kind: goal.kind, slots: { ...goal.slots, [name]: random.pick(wrong) } };
}

/** A file of the untouched task, as the agent would name it. */
function someFile(task: Task, random: RandomStream): string {
  return random.pick(task.files).path.slice(task.workdir.length + 1);
}

/** The file a sub-goal leaves behind. */
function touchedFile({ slots }: SubGoal): string | undefined {
  const { directory, file, target, to } = slots;
  return file !== undefined && directory !== undefined ? `${directory}/${file}` : (file ?? target ?? to);
}
