/**
 * A trajectory as columns and back, without loss: arrays as little-endian bytes, numbers as float64, text that a text
 * column cannot hold (U+0000) beside its readable form. `fromColumns(toColumns(t))` has the name of `t`.
 */
import { canonicalText } from '../../contracts/canonical-text.ts';
import type { Trajectory, Turn } from '../../contracts/trajectory.ts';
import type { TaskRow } from '../projection/projection.ts';

/** Fields that have a column (or the task's) of their own; any other goes to `extra`. */
const COLUMNED = new Set(
  (
    'kind id purpose taskId family split subGoals verifierDigest checkWeights turnLimit policy seed sample temperature ' +
    'parentId mode promptLength tokenIds actionMask turnIds logProbs initialChecks turns endedBy verdict failure'
  ).split(' '),
);

export function toColumns(trajectory: Trajectory) {
  const { tokenIds, verdict, failure } = trajectory;
  const extra = Object.entries(trajectory).filter(([key]) => !COLUMNED.has(key));
  return {
    purpose: trajectory.purpose,
    split: trajectory.split,
    seed: trajectory.seed,
    sample: trajectory.sample,
    temperature: trajectory.temperature,
    mode: trajectory.mode,
    prompt_length: trajectory.promptLength,
    token_count: tokenIds.length,
    token_ids: bytes(Int32Array, tokenIds),
    action_mask: bytes(Uint8Array, trajectory.actionMask),
    turn_ids: bytes(Int16Array, trajectory.turnIds),
    log_probs: bytes(Float64Array, trajectory.logProbs),
    ended_by: trajectory.endedBy,
    progress: verdict?.progress ?? null,
    strict: verdict?.strict ?? null,
    failure: failure === null ? null : canonicalText(failure),
    extra: extra.length === 0 ? null : canonicalText(Object.fromEntries(extra)),
  };
}

export function turnColumns({ command, observation, exitCode, checks }: Turn) {
  const isExact = !command.includes('\0') && !observation.includes('\0');
  const shown = (text: string): string => text.replaceAll('\0', '\u2400');
  return {
    command: shown(command),
    observation: shown(observation),
    exact: isExact ? null : canonicalText([command, observation]),
    exit_code: exitCode,
    checks,
  };
}

/** As the audit reads them, names in place of numbers. */
export interface TrajectoryColumns extends Omit<
  ReturnType<typeof toColumns>,
  'purpose' | 'split' | 'mode' | 'ended_by'
> {
  readonly digest: string;
  readonly purpose: Trajectory['purpose'];
  readonly split: Trajectory['split'];
  readonly mode: Trajectory['mode'];
  readonly ended_by: Trajectory['endedBy'];
  readonly policy: string | null;
  readonly parent: string | null;
}

export interface CheckColumns {
  readonly initial: number | null;
  readonly final: number | null;
}

export function fromColumns(
  row: TrajectoryColumns,
  task: TaskRow,
  turns: readonly ReturnType<typeof turnColumns>[],
  checks: readonly CheckColumns[],
): Trajectory {
  const held = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
  const final = held(checks.map((check) => check.final));
  return {
    ...((row.extra === null ? {} : JSON.parse(row.extra)) as object),
    kind: 'trajectory',
    id: row.digest,
    purpose: row.purpose,
    taskId: task.digest,
    family: task.family,
    split: row.split,
    subGoals: task.subGoals,
    verifierDigest: task.verifierDigest,
    checkWeights: task.checkWeights,
    turnLimit: task.turnLimit,
    policy: row.policy,
    seed: row.seed,
    sample: row.sample,
    temperature: row.temperature,
    parentId: row.parent,
    mode: row.mode,
    promptLength: row.prompt_length,
    tokenIds: values(Int32Array, row.token_ids),
    actionMask: values(Uint8Array, row.action_mask),
    turnIds: values(Int16Array, row.turn_ids),
    logProbs: values(Float64Array, row.log_probs),
    initialChecks: held(checks.map((check) => check.initial)),
    turns: turns.map(({ command, observation, exact, exit_code: exitCode, checks: after }) => {
      const [trueCommand, trueObservation] = exact === null ? [command, observation] : (JSON.parse(exact) as string[]);
      return { command: trueCommand as string, observation: trueObservation as string, exitCode, checks: after };
    }),
    endedBy: row.ended_by,
    verdict: row.strict === null ? null : { checks: final, progress: row.progress as number, strict: row.strict },
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Trajectory['failure']),
  };
}

type Numbers = Int32Array | Uint8Array | Int16Array | Float64Array;
type NumbersType = {
  new (values: ArrayLike<number>): Numbers;
  new (buffer: ArrayBufferLike): Numbers;
};

/** All machines that Node 20 runs on here are little-endian. */
function bytes(type: NumbersType, numbers: readonly number[]): Buffer {
  const packed = new type(numbers);
  if (packed.some((value, i) => value !== numbers[i])) throw new RangeError(`a value does not fit ${type.name}`);
  return Buffer.from(packed.buffer);
}

function values(type: NumbersType, packed: Buffer): number[] {
  // Copied, as the view of a received buffer need not be aligned.
  return Array.from(new type(Uint8Array.from(packed).buffer));
}
