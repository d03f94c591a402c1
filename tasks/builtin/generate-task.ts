/**
 * One built-in task from (family, split, seed): a pure function, the same on every machine. The number of sub-goals is
 * drawn first and kept; the rest is drawn again until the instruction falls into the asked split (see ../split.ts).
 */
import { digestOf } from '../../contracts/digest.ts';
import { Failure } from '../../contracts/failures.ts';
import type { Check, Split, Task, TaskFile, TaskLimits } from '../../contracts/task.ts';
import type { RandomStream } from '../../rl/random-stream.ts';
import { splitOf } from '../split.ts';
import { familyNamed } from './families.ts';
import { weightsProblem, type Family } from './family.ts';
import { createSlotDraw } from './slot-draw.ts';
import { streamOf } from './stream-of.ts';
import { subGoalKind } from './sub-goals/kinds.ts';
import { DEFAULT_FILE_MODE, type DrawnSubGoal } from './sub-goals/sub-goal.ts';

export interface GenerateOptions {
  /** A name from families.ts, or a family of one's own. */
  readonly family: string | Family;
  readonly split: Split;
  readonly seed: number;
  /** Weight of 1, 2, 3, ... sub-goals; default SUB_GOAL_MIXES.k2. */
  readonly subGoalWeights?: readonly number[];
  readonly limits?: TaskLimits;
}

/** k2: mostly two sub-goals, the default. hard: up to four. long: five to eight. */
export const SUB_GOAL_MIXES = {
  k2: [0.15, 0.75, 0.1],
  hard: [0.2, 0.35, 0.3, 0.15],
  long: [0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25],
} as const satisfies Record<string, readonly number[]>;

export const DEFAULT_LIMITS: TaskLimits = Object.freeze({
  turns: 9,
  tokensPerTurn: 14,
  context: 190,
  commandSeconds: 5,
});

export const WORKDIR = '/home/agent/work';

/** A split holds one draw in ten or more, so that 400 misses mean a family without instances in it. */
const REDRAWS = 400;

export interface DrawnTask {
  readonly kinds: readonly string[];
  readonly subGoals: readonly DrawnSubGoal[];
  readonly instruction: string;
  readonly distractor: TaskFile;
}

export function generateTask(options: GenerateOptions): Task {
  const family = typeof options.family === 'string' ? familyNamed(options.family) : options.family;
  const { split, seed } = options;
  if (!family.splits.includes(split)) {
    const splits = family.splits.join(', ');
    const message = `family ${family.name} has no ${split} tasks: it exists in ${splits} only`;
    throw new Failure('task', message, { subject: family.name });
  }
  const random = streamOf('task', family.name, split, seed);
  const count = drawCount(family, options.subGoalWeights ?? SUB_GOAL_MIXES.k2, random);
  for (let attempt = 0; attempt < REDRAWS; attempt++) {
    const drawn = drawTask(family, count, split, random);
    if (splitOf(drawn.instruction) === split) return freezeTask(family, split, drawn, options.limits ?? DEFAULT_LIMITS);
  }
  const message =
    `family ${family.name}: ${REDRAWS} draws with ${count} sub-goals gave no ${split} task; ` +
    'its instructions are too few for three splits: add sub-goals or words';
  throw new Failure('task', message, { subject: family.name });
}

/** Number of sub-goals, 1 for the first weight. */
export function drawCount(family: Family, weights: readonly number[], random: RandomStream): number {
  const usable = weights.map((weight, index) => (index + 1 < family.minimumSubGoals ? 0 : weight));
  const valid = weights.every((weight) => Number.isFinite(weight) && weight >= 0);
  if (!valid || weightsProblem(family, weights) !== null) {
    const need = `${family.minimumSubGoals} to ${family.maximumSubGoals} sub-goals`;
    const message = `family ${family.name} needs weights >= 0 for ${need}, one of them positive: got [${weights.join(', ')}]`;
    throw new Failure('task', message, { subject: family.name });
  }
  return random.weighted(usable) + 1;
}

/** One instance, whatever split its instruction falls into; `split` decides which value pairs may occur. */
export function drawTask(family: Family, count: number, split: Split, random: RandomStream): DrawnTask {
  const draw = createSlotDraw(random, split);
  const kinds = family.compose(count, random);
  const subGoals = kinds.map((kind) => subGoalKind(kind).draw(draw, WORKDIR));
  const instruction = subGoals.map((goal) => goal.instruction).join('; ');
  const distractor = { path: `${WORKDIR}/${draw.word(null)}`, content: `${draw.line()}\n`, mode: DEFAULT_FILE_MODE };
  return { kinds, subGoals, instruction, distractor };
}

function freezeTask(family: Family, split: Split, drawn: DrawnTask, limits: TaskLimits): Task {
  const { kinds, subGoals, instruction, distractor } = drawn;
  const checks = subGoals.map((goal, index): Check => {
    const conditions = Object.freeze(goal.conditions.map((condition) => Object.freeze(condition)));
    return Object.freeze({ name: `${index + 1}-${kinds[index] ?? ''}`, weight: 1, subGoal: index, conditions });
  });
  const files = [...subGoals.flatMap((goal) => goal.files), distractor].map((file) => Object.freeze(file));
  const directories = subGoals.flatMap((goal) => goal.directories);
  const verifierDigest = digestOf(checks);
  return Object.freeze({
    kind: 'task',
    id: digestOf({ instruction, workdir: WORKDIR, directories, files, verifierDigest, limits }),
    family: family.name,
    split,
    instruction,
    workdir: WORKDIR,
    directories: Object.freeze(directories),
    files: Object.freeze(files),
    checks: Object.freeze(checks),
    subGoals: Object.freeze(
      subGoals.map((goal, index) => Object.freeze({ kind: kinds[index] ?? '', slots: Object.freeze(goal.slots) })),
    ),
    limits: Object.freeze({ ...limits }),
    verifierDigest,
  });
}
