/**
 * Questions about trajectories, as plain objects: what a name stands for, where an episode came from and what came of it,
 * why a rewrite was kept or not, how many passed each gate. The SQL stands in docs/lineage.md to be run by hand.
 * Details are joined after the recursion, by primary key: the planner misjudges recursive queries.
 */
import type { Digest } from '../../contracts/digest.ts';
import { Failure } from '../../contracts/failures.ts';
import { bytesOf, type Queryable } from './connection.ts';
import { prefixRange } from './digest-prefix.ts';

export interface RunSummary {
  readonly id: number;
  readonly workflowId: string;
  readonly firstExecutionRunId: string;
  readonly ordinal: number;
  readonly seed: number;
  readonly records: number;
  readonly generations: number;
  readonly claimedAt: string;
}

/** Newest first. */
export async function listRuns(db: Queryable): Promise<RunSummary[]> {
  const { rows } = await db.query<RunSummary>(
    `select r.id, r.workflow_id as "workflowId", r.first_execution_run_id as "firstExecutionRunId", r.ordinal, r.seed,
       count(c.id)::int as records, coalesce(max(c.generation), 0)::int as generations,
       to_char(r.claimed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "claimedAt"
     from rsi.run r left join rsi.record c on c.run_id = r.id group by r.id order by r.id desc`,
  );
  return rows;
}

export interface Thing {
  readonly kind: 'trajectory' | 'checkpoint' | 'group' | 'task';
  /** Row number of the latest of that name. */
  readonly id: number;
  readonly digest: Digest;
}

/** What the first characters of a digest (8 or more) stand for in a run; several when they are not enough. */
export async function findThings(db: Queryable, runId: number, prefix: string): Promise<Thing[]> {
  const [first, last] = prefixRange(prefix);
  const { rows } = await db.query<Thing>(
    `select 'trajectory' as kind, max(t.id) as id, encode(t.digest, 'hex') as digest
       from rsi.trajectory t join rsi.episode_group g on g.record_id = t.group_id
       where g.run_id = $1 and t.digest between $2 and $3 group by t.digest
     union all select 'checkpoint', max(id), encode(digest, 'hex')
       from rsi.checkpoint where run_id = $1 and digest between $2 and $3 group by digest
     union all select 'group', max(record_id), encode(digest, 'hex')
       from rsi.episode_group where run_id = $1 and digest between $2 and $3 group by digest
     union all select 'task', max(id), encode(digest, 'hex')
       from rsi.task where run_id = $1 and digest between $2 and $3 group by digest
     order by kind, digest limit 20`,
    [runId, first, last],
  );
  return rows;
}

/** The one thing of a kind that the characters name. */
export async function findThing(db: Queryable, runId: number, kind: Thing['kind'], prefix: string): Promise<Thing> {
  const things = (await findThings(db, runId, prefix)).filter((thing) => thing.kind === kind);
  if (things.length === 1) return things[0] as Thing;
  const problem = things.length === 0 ? `run ${runId} has no ${kind}` : `${things.length} of kind ${kind} begin with`;
  throw new Failure('lineage', `${problem} ${prefix}`, { subject: prefix });
}

export interface Episode {
  /** 0 is the one asked about. */
  readonly depth: number;
  readonly digest: Digest;
  readonly place: string;
  readonly purpose: string;
  readonly split: string;
  readonly family: string;
  readonly task: Digest;
  /** The checkpoint that wrote it; null for scripted agents. */
  readonly policy: Digest | null;
  readonly mode: string | null;
  /** Null: no verdict. */
  readonly strict: boolean | null;
  readonly progress: number | null;
  readonly turns: number;
  /** As a rewrite: whether it was accepted, and the gate that stopped it; null when it is none. */
  readonly accepted: boolean | null;
  readonly gate: string | null;
}

const EPISODE = 'e.digest, e.place, e.purpose, e.split, e.family, e.task, e.policy, e.mode, e.strict, e.progress, e.turns, e.accepted, e.gate'; // prettier-ignore

/** The episode, its parent, and so on to the first. */
export async function ancestorsOfTrajectory(db: Queryable, runId: number, prefix: string): Promise<Episode[]> {
  const { id } = await findThing(db, runId, 'trajectory', prefix);
  const { rows } = await db.query<Episode>(
    `with recursive line as (
       select id, parent_id, 0 as depth from rsi.trajectory where id = $1
       union all
       select p.id, p.parent_id, line.depth + 1 from line join rsi.trajectory p on p.id = line.parent_id
     )
     select line.depth, ${EPISODE} from line join rsi.episode e on e.id = line.id order by line.depth`,
    [id],
  );
  return rows;
}

export interface Descendants {
  readonly episodes: readonly Episode[];
  /** More than `limit` were there. */
  readonly truncated: boolean;
}

/** All rewrites of it, of those, and so on; nearest first. */
export async function descendantsOfTrajectory(
  db: Queryable,
  runId: number,
  prefix: string,
  limit = 1_000,
): Promise<Descendants> {
  const { id } = await findThing(db, runId, 'trajectory', prefix);
  const { rows } = await db.query<Episode>(
    `with recursive tree as (
       select id, 0 as depth from rsi.trajectory where id = $1
       union all
       select c.id, tree.depth + 1 from tree join rsi.trajectory c on c.parent_id = tree.id
     ), nearest as (select * from tree where depth > 0 order by depth, id limit $2)
     select n.depth, ${EPISODE} from nearest n join rsi.episode e on e.id = n.id order by n.depth, n.id`,
    [id, limit + 1],
  );
  return { episodes: rows.slice(0, limit), truncated: rows.length > limit };
}

export interface RewriteReason {
  readonly child: Digest;
  readonly parent: Digest;
  /** Where it was judged. */
  readonly place: string;
  readonly mode: 'polish' | 'repair';
  readonly accepted: boolean;
  /** The first gate that failed; null when it was accepted. */
  readonly gate: string | null;
  readonly turnDelta: number;
  readonly tokenDelta: number;
  readonly failedDelta: number;
  readonly similarity: number;
  /** Everything that the gates looked at (rl/gates/candidate.ts). */
  readonly measures: unknown;
}

/** Why a rewrite was accepted or not; one row per time it was judged. */
export async function whyRewrite(db: Queryable, runId: number, prefix: string): Promise<RewriteReason[]> {
  const { digest } = await findThing(db, runId, 'trajectory', prefix);
  const { rows } = await db.query<RewriteReason>(
    `select encode(c.digest, 'hex') as child, encode(p.digest, 'hex') as parent, rsi.place_name(r) as place, w.mode,
       w.accepted, w.gate, w.turn_delta as "turnDelta", w.token_delta as "tokenDelta", w.failed_delta as "failedDelta",
       w.similarity, w.measures::json as measures
     from rsi.rewrite w join rsi.trajectory c on c.id = w.child_id join rsi.trajectory p on p.id = w.parent_id
     join rsi.record r on r.id = w.record_id where r.run_id = $1 and c.digest = $2 order by w.record_id`,
    [runId, bytesOf(digest)],
  );
  return rows;
}

export interface FunnelRound {
  readonly generation: number;
  readonly stageIndex: number;
  readonly parents: number;
  readonly candidates: number;
  readonly accepted: { readonly polish: number; readonly repair: number };
  /** Candidates by the gate that stopped them. */
  readonly gates: Readonly<Record<string, number>>;
}

/** Per rewrite round: how many candidates there were, and what became of them. */
export async function funnel(db: Queryable, runId: number): Promise<FunnelRound[]> {
  const { rows } = await db.query<FunnelRound>(
    `select r.generation, r.stage_index as "stageIndex", count(distinct w.parent_id)::int as parents,
       count(*)::int as candidates,
       json_build_object('polish', count(*) filter (where w.accepted and w.mode = 'polish'),
                         'repair', count(*) filter (where w.accepted and w.mode = 'repair')) as accepted,
       (select coalesce(json_object_agg(g.gate, g.n), '{}') from (
          select gate, count(*) as n from rsi.rewrite where record_id = r.id and gate is not null
          group by gate order by gate) g) as gates
     from rsi.record r join rsi.rewrite w on w.record_id = r.id
     where r.run_id = $1 group by r.id order by r.generation, r.stage_index`,
    [runId],
  );
  return rows;
}
