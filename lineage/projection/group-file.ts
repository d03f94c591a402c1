/** The stored file of a group (training/groups.ts writes it): gzipped lines, first the tasks, then the trajectories. */
import { gunzipSync } from 'node:zlib';
import { canonicalText } from '../../contracts/canonical-text.ts';
import type { GroupSummary } from '../../contracts/checkpoint.ts';
import type { Digest } from '../../contracts/digest.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import type { Task } from '../../contracts/task.ts';
import type { Trajectory } from '../../contracts/trajectory.ts';
import { nameOfText } from '../canonical.ts';
import { TASK, TRAJECTORY } from './content-schemas.ts';
import { trajectoryName } from './leaves.ts';
import { parsed, parsedJson, refuse } from './parse.ts';
import type { Projection, TaskRow } from './projection.ts';

interface NamedGroup {
  readonly digest: Digest;
  readonly summary: GroupSummary;
}

export function readGroupFile(
  bytes: Uint8Array,
  { digest, summary }: NamedGroup,
  record: StoredRecord,
): Pick<Projection, 'group' | 'tasks' | 'trajectories'> {
  const entries = linesOf(bytes, record).map((line) => parsedJson(line, record) as Task | Trajectory);
  const tasks = new Map<Digest, TaskRow>();
  const trajectories: Trajectory[] = [];
  for (const [i, entry] of entries.entries()) {
    if (entry.kind === 'task') {
      parsed(TASK, entry, record, `line ${i + 1} of its file`);
      tasks.set(entry.id, toTaskRow(entry));
      continue;
    }
    parsed(TRAJECTORY, entry, record, `line ${i + 1} of its file`);
    trajectories.push(checked(entry, tasks, record));
  }
  checkSummary(summary, trajectories, record);
  const { episodes, noVerdict, strict, partialMean, turns, actionTokens, failedCommands, cutTurns, endedAtLimit } =
    summary;
  const counts = { episodes, noVerdict, strict, partialMean, turns, actionTokens, failedCommands, cutTurns };
  const attempted = [...new Set(trajectories.map(({ taskId }) => taskId))].map((id) => tasks.get(id) as TaskRow);
  return {
    group: { ...counts, endedAtLimit, digest, learnable: trajectories.every(({ split }) => split === 'train') },
    tasks: inOrder(attempted),
    trajectories,
  };
}

/** By the digest of the body: an order that the rows themselves give. */
export function inOrder(tasks: readonly TaskRow[]): TaskRow[] {
  return tasks
    .map((task) => ({ task, name: nameOfText(task.body) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ task }) => task);
}

function linesOf(bytes: Uint8Array, record: StoredRecord): string[] {
  try {
    const text = gunzipSync(bytes).toString();
    return text === '' ? [] : text.split('\n');
  } catch (error) {
    return refuse(record, `its file cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toTaskRow(task: Task): TaskRow {
  return {
    digest: task.id,
    split: task.split,
    family: task.family,
    instruction: task.instruction,
    verifierDigest: task.verifierDigest,
    subGoals: task.subGoals.map(({ kind }) => kind),
    checkWeights: task.checks.map(({ weight }) => weight),
    turnLimit: task.limits.turns,
    body: canonicalText(task),
  };
}

/** It is called what its content says, agrees with its task, and its arrays are of one length. */
function checked(trajectory: Trajectory, tasks: ReadonlyMap<Digest, TaskRow>, record: StoredRecord): Trajectory {
  const name = `trajectory ${trajectory.id.slice(0, 12)}`;
  if (trajectoryName(trajectory) !== trajectory.id) refuse(record, `${name} is not called what its content hashes to`);
  const task = tasks.get(trajectory.taskId);
  if (task === undefined) return refuse(record, `the task of ${name} is not in its file`);
  const { family, split, subGoals, verifierDigest, checkWeights, turnLimit } = trajectory;
  const claimed = canonicalText({ family, split, subGoals, verifierDigest, checkWeights, turnLimit });
  const { digest: _, instruction: __, body: ___, ...held } = task;
  if (claimed !== canonicalText(held)) refuse(record, `${name} and its task disagree`);
  const { tokenIds, actionMask, turnIds, logProbs } = trajectory;
  if (new Set([tokenIds.length, actionMask.length, turnIds.length, logProbs.length]).size !== 1) {
    refuse(record, `the arrays of ${name} differ in length`);
  }
  return trajectory;
}

function checkSummary(summary: GroupSummary, trajectories: readonly Trajectory[], record: StoredRecord): void {
  const noVerdict = trajectories.filter(({ verdict }) => verdict === null).length;
  const strict = trajectories.filter(({ verdict }) => verdict?.strict === true).length;
  if (summary.episodes === trajectories.length && summary.noVerdict === noVerdict && summary.strict === strict) return;
  refuse(record, 'its summary does not count what its file holds');
}
