/** The rows of a group of episodes: tasks, the group, trajectories in order (parents before children), turns, checks. */
import type { Digest } from '../../contracts/digest.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import type { Trajectory } from '../../contracts/trajectory.ts';
import { nameOfText } from '../canonical.ts';
import { refuse } from '../projection/parse.ts';
import type { GroupRow, Projection, TaskRow } from '../projection/projection.ts';
import { bytesOf, type Queryable } from './connection.ts';
import { insertRows, numbersLiteral, textsLiteral } from './insert-rows.ts';
import { resolveTasks, resolveTrajectories, resolveWriters } from './resolve.ts';
import { toColumns, turnColumns } from './trajectory-columns.ts';

interface GroupPlace {
  readonly runId: number;
  readonly recordId: number;
  readonly record: StoredRecord;
}

export async function insertGroup(client: Queryable, place: GroupPlace, rows: Projection): Promise<void> {
  const group = rows.group as GroupRow;
  const taskIds = await insertTasks(client, place.runId, rows.tasks);
  await insertRows(client, 'episode_group', GROUP, [
    {
      record_id: place.recordId,
      run_id: place.runId,
      digest: bytesOf(group.digest),
      learnable: group.learnable,
      episodes: group.episodes,
      no_verdict: group.noVerdict,
      strict: group.strict,
      partial_mean: group.partialMean,
      turns: group.turns,
      action_tokens: group.actionTokens,
      failed_commands: group.failedCommands,
      cut_turns: group.cutTurns,
      ended_at_limit: group.endedAtLimit,
    },
  ]);
  await insertTrajectories(client, place, group.learnable, rows.trajectories, taskIds);
}

/** In the order of their digests: two writers of the same tasks then never wait for each other in a ring. */
async function insertTasks(
  client: Queryable,
  runId: number,
  tasks: readonly TaskRow[],
): Promise<ReadonlyMap<Digest, number>> {
  const named = tasks.map((task) => ({ task, name: nameOfText(task.body) }));
  const rows = named.map(({ task, name }) => ({
    run_id: runId,
    digest: bytesOf(task.digest),
    split: task.split,
    family: task.family,
    instruction: task.instruction.replaceAll('\0', '\u2400'),
    verifier_digest: bytesOf(task.verifierDigest),
    sub_goals: textsLiteral(task.subGoals),
    check_weights: numbersLiteral(task.checkWeights),
    turn_limit: task.turnLimit,
    body: task.body,
    body_digest: bytesOf(name),
  }));
  await insertRows(client, 'task', TASK, rows, 'on conflict (run_id, body_digest) do nothing');
  const ids = await resolveTasks(
    client,
    runId,
    named.map(({ name }) => name),
  );
  return new Map(named.map(({ task, name }) => [task.digest, ids.get(name) as number]));
}

async function insertTrajectories(
  client: Queryable,
  { runId, recordId, record }: GroupPlace,
  learnable: boolean,
  trajectories: readonly Trajectory[],
  taskIds: ReadonlyMap<Digest, number>,
): Promise<void> {
  const written = (values: readonly (Digest | null)[]): Digest[] => values.filter((value) => value !== null);
  const writers = await resolveWriters(client, runId, written(trajectories.map(({ policy }) => policy)));
  const elsewhere = await resolveTrajectories(client, runId, written(trajectories.map(({ parentId }) => parentId)));
  // Numbers are drawn after the parents were looked up: what is drawn later is higher.
  const ids = await drawIds(client, trajectories.length);
  const here = new Map<Digest, number>();
  const found = (name: Digest, what: string, id: number | undefined): number =>
    id ?? refuse(record, `${what} ${name.slice(0, 12)} of one of its trajectories is not stored before it`);
  const rows = trajectories.map((trajectory, ordinal) => {
    const { policy, parentId } = trajectory;
    const row = {
      ...toColumns(trajectory),
      id: ids[ordinal],
      group_id: recordId,
      group_learnable: learnable,
      ordinal,
      digest: bytesOf(trajectory.id),
      task_id: taskIds.get(trajectory.taskId),
      policy_id: policy === null ? null : found(policy, 'the policy', writers.get(policy)),
      parent_id:
        parentId === null ? null : found(parentId, 'the parent', here.get(parentId) ?? elsewhere.get(parentId)),
    };
    here.set(trajectory.id, ids[ordinal] as number);
    return row;
  });
  await insertRows(client, 'trajectory', TRAJECTORY, rows);
  const turns = trajectories.flatMap((trajectory, i) =>
    trajectory.turns.map((turn, k) => {
      const columns = turnColumns(turn);
      return { ...columns, checks: numbersLiteral(columns.checks), trajectory_id: ids[i], number: k + 1 };
    }),
  );
  await insertRows(client, 'turn', TURN, turns);
  await insertRows(
    client,
    'check_result',
    CHECK,
    trajectories.flatMap((trajectory, i) => checkRows(trajectory, ids[i] as number)),
  );
}

async function drawIds(client: Queryable, count: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('rsi.trajectory', 'id')) as id from generate_series(1, $1)`,
    [count],
  );
  return rows.map(({ id }) => id);
}

function checkRows({ initialChecks, verdict }: Trajectory, trajectoryId: number) {
  const final = verdict?.checks ?? [];
  return Array.from({ length: Math.max(initialChecks.length, final.length) }, (_, ordinal) => ({
    trajectory_id: trajectoryId,
    ordinal,
    initial: initialChecks[ordinal] ?? null,
    final: final[ordinal] ?? null,
  }));
}

const GROUP = {
  ...{ record_id: 'bigint', run_id: 'bigint', digest: 'bytea', learnable: 'boolean', episodes: 'int' },
  ...{ no_verdict: 'int', strict: 'int', partial_mean: 'float8', turns: 'int', action_tokens: 'bigint' },
  ...{ failed_commands: 'int', cut_turns: 'int', ended_at_limit: 'int' },
} as const;

const TASK = {
  ...{ run_id: 'bigint', digest: 'bytea', split: 'text', family: 'text', instruction: 'text' },
  ...{ verifier_digest: 'bytea', sub_goals: 'text[]', check_weights: 'float8[]', turn_limit: 'int' },
  ...{ body: 'text', body_digest: 'bytea' },
} as const;

const TRAJECTORY = {
  ...{ id: 'bigint', group_id: 'bigint', group_learnable: 'boolean', ordinal: 'int', digest: 'bytea' },
  ...{ purpose: 'text', task_id: 'bigint', split: 'text', policy_id: 'bigint', seed: 'bigint', sample: 'int' },
  ...{ temperature: 'float8', parent_id: 'bigint', mode: 'text', prompt_length: 'int', token_count: 'int' },
  ...{ token_ids: 'bytea', action_mask: 'bytea', turn_ids: 'bytea', log_probs: 'bytea', ended_by: 'text' },
  ...{ progress: 'float8', strict: 'boolean', failure: 'text', extra: 'text' },
} as const;

const TURN = {
  ...{ trajectory_id: 'bigint', number: 'int', command: 'text', observation: 'text', exact: 'text' },
  ...{ exit_code: 'int', checks: 'float8[]' },
} as const;

const CHECK = { trajectory_id: 'bigint', ordinal: 'int', initial: 'float8', final: 'float8' } as const;
