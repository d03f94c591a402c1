/** The rows that show a record, read back from the tables in the shape they were made in, names in place of numbers. */
import type { Digest } from '../../contracts/digest.ts';
import type { Trajectory } from '../../contracts/trajectory.ts';
import type { Queryable } from '../postgres/connection.ts';
import { fromColumns, type CheckColumns, type TrajectoryColumns, type turnColumns } from '../postgres/trajectory-columns.ts'; // prettier-ignore
import { inOrder } from '../projection/group-file.ts';
import type { GroupRow, OutcomeRow, Projection, RewriteRow, TaskRow } from '../projection/projection.ts';

export async function loadProjection(db: Queryable, recordId: number): Promise<Projection> {
  const all = async <T extends object>(text: string): Promise<T[]> => (await db.query<T>(text, [recordId])).rows;
  const [group = null] = await all<GroupRow>(GROUP);
  const { tasks, trajectories } = group === null ? NO_EPISODES : await loadEpisodes(all);
  return {
    uses: await all(USES),
    blobs: (await all<{ digest: Digest }>(BLOBS)).map(({ digest }) => digest),
    checkpoints: await all(CHECKPOINTS),
    group,
    tasks,
    trajectories,
    rewrites: await all<RewriteRow>(REWRITES),
    calibration: (await all<NonNullable<Projection['calibration']>>(CALIBRATION))[0] ?? null,
    handoff: (await all<NonNullable<Projection['handoff']>>(HANDOFF))[0] ?? null,
    outcomes: await all<OutcomeRow>(OUTCOMES),
  };
}

type Episodes = Pick<Projection, 'tasks' | 'trajectories'>;
const NO_EPISODES: Episodes = { tasks: [], trajectories: [] };

async function loadEpisodes(all: <T extends object>(text: string) => Promise<T[]>): Promise<Episodes> {
  const tasks = new Map((await all<TaskRow & { id: number }>(TASKS)).map(({ id, ...task }) => [id, task]));
  const turns = grouped(await all<ReturnType<typeof turnColumns> & { of: number }>(TURNS));
  const checks = grouped(await all<CheckColumns & { of: number }>(CHECKS));
  const rows = await all<TrajectoryColumns & { id: number; task_id: number }>(TRAJECTORIES);
  const trajectories = rows.map((row): Trajectory =>
    fromColumns(row, tasks.get(row.task_id) as TaskRow, turns.get(row.id) ?? [], checks.get(row.id) ?? []),
  );
  return { tasks: inOrder([...tasks.values()]), trajectories };
}

function grouped<T extends { of: number }>(rows: readonly T[]): ReadonlyMap<number, T[]> {
  const byOwner = new Map<number, T[]>();
  for (const row of rows) {
    const list = byOwner.get(row.of);
    if (list === undefined) byOwner.set(row.of, [row]);
    else list.push(row);
  }
  return byOwner;
}

const hex = (column: string, name: string): string => `encode(${column}, 'hex') as "${name}"`;

const USES = `select u.role, ${hex('coalesce(c.digest, g.digest)', 'digest')} from rsi.record_use u
  left join rsi.checkpoint c on c.id = u.checkpoint_id left join rsi.episode_group g on g.record_id = u.group_id
  where u.record_id = $1 order by u.ordinal`;

const BLOBS = `select ${hex('digest', 'digest')} from rsi.record_blob where record_id = $1 order by ordinal`;

const CHECKPOINTS = `select role, ${hex('digest', 'digest')}, ${hex('weights_digest', 'weightsDigest')}
  from rsi.checkpoint where record_id = $1 order by id`;

const GROUP = `select ${hex('digest', 'digest')}, learnable, episodes, no_verdict as "noVerdict", strict,
  partial_mean as "partialMean", turns, action_tokens as "actionTokens", failed_commands as "failedCommands",
  cut_turns as "cutTurns", ended_at_limit as "endedAtLimit" from rsi.episode_group where record_id = $1`;

const TASKS = `select k.id, ${hex('k.digest', 'digest')}, k.split, k.family, k.instruction,
  ${hex('k.verifier_digest', 'verifierDigest')}, k.sub_goals as "subGoals", k.check_weights as "checkWeights",
  k.turn_limit as "turnLimit", k.body
  from rsi.task k where k.id in (select task_id from rsi.trajectory where group_id = $1)`;

const TRAJECTORIES = `select t.*, ${hex('t.digest', 'digest')}, ${hex('c.weights_digest', 'policy')},
  ${hex('p.digest', 'parent')}
  from rsi.trajectory t left join rsi.checkpoint c on c.id = t.policy_id left join rsi.trajectory p on p.id = t.parent_id
  where t.group_id = $1 order by t.ordinal`;

const TURNS = `select u.trajectory_id as "of", u.command, u.observation, u.exact, u.exit_code, u.checks
  from rsi.turn u join rsi.trajectory t on t.id = u.trajectory_id where t.group_id = $1
  order by u.trajectory_id, u.number`;

const CHECKS = `select c.trajectory_id as "of", c.initial, c.final
  from rsi.check_result c join rsi.trajectory t on t.id = c.trajectory_id where t.group_id = $1
  order by c.trajectory_id, c.ordinal`;

const REWRITES = `select ${hex('c.digest', 'childId')}, ${hex('p.digest', 'parentId')}, r.mode, r.accepted, r.gate,
  r.turn_delta as "turnDelta", r.token_delta as "tokenDelta", r.failed_delta as "failedDelta", r.similarity, r.measures
  from rsi.rewrite r join rsi.trajectory c on c.id = r.child_id join rsi.trajectory p on p.id = r.parent_id
  where r.record_id = $1 order by r.ordinal`;

const CALIBRATION = `select ${hex('digest', 'digest')}, episodes, error_of_raw as "errorOfRaw",
  error_of_former_maps as "errorOfFormerMaps", maps from rsi.calibration where record_id = $1`;

const HANDOFF = `select ${hex('c.digest', 'critic')}, ${hex('p.digest', 'parent')},
  h.explained_variance_before as "explainedVarianceBefore", h.explained_variance_after as "explainedVarianceAfter", h.loss
  from rsi.handoff h join rsi.checkpoint c on c.id = h.critic_id left join rsi.checkpoint p on p.id = h.parent_id
  where h.record_id = $1`;

const OUTCOMES = `select o.evaluation_set as "set", ${hex('k.digest', 'taskId')}, o.state, o.checks, o.progress, o.turns,
  o.action_tokens as "actionTokens", o.failed_commands as "failedCommands"
  from rsi.evaluation_outcome o join rsi.task k on k.id = o.task_id where o.record_id = $1 order by o.ordinal`;
