/** Questions about checkpoints: what they were made from, what was made from them, what they learned from, and leaks. */
import type { Digest } from '../../contracts/digest.ts';
import type { Queryable } from './connection.ts';
import { findThing } from './queries.ts';

export interface CheckpointNode {
  /** 0 is the one asked about. */
  readonly depth: number;
  readonly digest: Digest;
  readonly weightsDigest: Digest;
  readonly role: 'policy' | 'critic';
  readonly place: string;
  /** As what the nearer one used it (ancestors), or it used the nearer one (descendants); null at depth 0. */
  readonly usedAs: string | null;
}

/** What it was made from: parents, references, the policies that played for it. */
export function ancestorsOfCheckpoint(db: Queryable, runId: number, prefix: string): Promise<CheckpointNode[]> {
  return walk(db, runId, prefix, 'checkpoint_id', 'used_checkpoint_id');
}

/** What was made from it. */
export function descendantsOfCheckpoint(db: Queryable, runId: number, prefix: string): Promise<CheckpointNode[]> {
  return walk(db, runId, prefix, 'used_checkpoint_id', 'checkpoint_id');
}

/** Each once, at its least depth; edges lead from lower numbers to higher ones, so there is no ring. */
async function walk(
  db: Queryable,
  runId: number,
  prefix: string,
  from: 'checkpoint_id' | 'used_checkpoint_id',
  to: 'checkpoint_id' | 'used_checkpoint_id',
): Promise<CheckpointNode[]> {
  const { id } = await findThing(db, runId, 'checkpoint', prefix);
  const { rows } = await db.query<CheckpointNode>(
    `with recursive walk as (
       select $1::bigint as id, 0 as depth, null::text as used_as
       union
       select u.${to}, walk.depth + 1, u.role
       from walk join rsi.checkpoint_use u on u.${from} = walk.id where u.${to} is not null
     ), nearest as (select distinct on (id) id, depth, used_as from walk order by id, depth, used_as)
     select n.depth, encode(c.digest, 'hex') as digest, encode(c.weights_digest, 'hex') as "weightsDigest", c.role,
       rsi.place_name(r) as place, n.used_as as "usedAs"
     from nearest n join rsi.checkpoint c on c.id = n.id join rsi.record r on r.id = c.record_id
     order by n.depth, n.id`,
    [id],
  );
  return rows;
}

export interface TrainedCheckpoint {
  readonly digest: Digest;
  readonly role: 'policy' | 'critic';
  readonly place: string;
  /** In which role the episode (or its descendant) was learned from. */
  readonly as: string;
  /** 0: from the episode itself; else from a rewrite that many steps down. */
  readonly distance: number;
}

/** Which checkpoints learned from an episode or from what it was rewritten to. */
export async function checkpointsTrainedOn(db: Queryable, runId: number, prefix: string): Promise<TrainedCheckpoint[]> {
  const { id } = await findThing(db, runId, 'trajectory', prefix);
  const { rows } = await db.query<TrainedCheckpoint>(
    `with recursive tree as (
       select id, 0 as depth from rsi.trajectory where id = $1
       union all
       select c.id, tree.depth + 1 from tree join rsi.trajectory c on c.parent_id = tree.id
     ), learned as (
       select l.checkpoint_id, l.role, min(tree.depth) as distance
       from tree join rsi.lesson l on l.trajectory_id = tree.id group by l.checkpoint_id, l.role
     )
     select encode(c.digest, 'hex') as digest, c.role, rsi.place_name(r) as place, learned.role as "as",
       learned.distance
     from learned join rsi.checkpoint c on c.id = learned.checkpoint_id join rsi.record r on r.id = c.record_id
     order by c.id, learned.role`,
    [id],
  );
  return rows;
}

export interface UsedData {
  readonly role: string;
  readonly group: Digest;
  readonly place: string;
  readonly episodes: number;
  /** How many of them it may have learned from; 0 where it only looked on. */
  readonly lessons: number;
}

/** The groups that a checkpoint was made with, by role. */
export async function checkpointData(db: Queryable, runId: number, prefix: string): Promise<UsedData[]> {
  const { id } = await findThing(db, runId, 'checkpoint', prefix);
  const { rows } = await db.query<UsedData>(
    `select u.role, encode(g.digest, 'hex') as "group", rsi.place_name(r) as place, g.episodes,
       (select count(*)::int from rsi.lesson l
        where l.checkpoint_id = u.checkpoint_id and l.role = u.role and l.group_id = g.record_id) as lessons
     from rsi.checkpoint_use u join rsi.episode_group g on g.record_id = u.used_group_id
     join rsi.record r on r.id = g.record_id where u.checkpoint_id = $1 order by u.ordinal`,
    [id],
  );
  return rows;
}

export interface Leak {
  readonly rule: 'learned-from-other-split' | 'rewritten-from-other-split' | 'task-both-learned-and-measured';
  /** Of the trajectory, or of the task. */
  readonly digest: Digest;
}

/**
 * Held-out or selection data in training. The first two the tables do not allow; the third they cannot see: one task,
 * by content, under two splits.
 */
export async function leaks(db: Queryable, runId: number): Promise<Leak[]> {
  const { rows } = await db.query<Leak>(
    `with learned as (
       select distinct l.trajectory_id as id from rsi.lesson l
       join rsi.checkpoint c on c.id = l.checkpoint_id where c.run_id = $1
     )
     select 'learned-from-other-split' as rule, encode(t.digest, 'hex') as digest
       from learned join rsi.trajectory t on t.id = learned.id where t.split <> 'train'
     union all
     select 'rewritten-from-other-split', encode(t.digest, 'hex')
       from rsi.trajectory t join rsi.trajectory p on p.id = t.parent_id
       join rsi.episode_group g on g.record_id = t.group_id where g.run_id = $1 and p.split <> 'train'
     union all
     select distinct 'task-both-learned-and-measured', encode(k.digest, 'hex')
       from learned join rsi.trajectory t on t.id = learned.id join rsi.task k on k.id = t.task_id
       where exists (
         select from rsi.task m where m.run_id = $1 and m.digest = k.digest and m.split <> 'train')`,
    [runId],
  );
  return rows;
}
