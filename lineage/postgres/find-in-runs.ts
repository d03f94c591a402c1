/**
 * What the first characters of a digest stand for in any run of the database: people have a digest from a report or a
 * page, and seldom know the number of its run. Checkpoints answer to the digest of their weights too.
 */
import type { Digest } from '../../contracts/digest.ts';
import type { Queryable } from './connection.ts';
import { prefixRange } from './digest-prefix.ts';
import type { Thing } from './queries.ts';

export interface FoundThing {
  readonly kind: Thing['kind'];
  readonly digest: Digest;
  readonly runId: number;
  readonly workflowId: string;
}

/** Far more than anybody reads; a prefix of 8 characters seldom stands for two things. */
const MOST = 1_000;

/** Newest run first. `runId` looks in that run alone. */
export async function findInRuns(db: Queryable, prefix: string, runId: number | null = null): Promise<FoundThing[]> {
  const [first, last] = prefixRange(prefix);
  const { rows } = await db.query<FoundThing>(
    `select distinct f.kind, encode(f.digest, 'hex') as digest, r.id as "runId", r.workflow_id as "workflowId" from (
       select 'trajectory' as kind, t.digest, g.run_id
         from rsi.trajectory t join rsi.episode_group g on g.record_id = t.group_id where t.digest between $1 and $2
       union all select 'checkpoint', digest, run_id
         from rsi.checkpoint where digest between $1 and $2 or weights_digest between $1 and $2
       union all select 'group', digest, run_id from rsi.episode_group where digest between $1 and $2
       union all select 'task', digest, run_id from rsi.task where digest between $1 and $2
     ) f join rsi.run r on r.id = f.run_id where $3::bigint is null or r.id = $3
     order by r.id desc, f.kind, digest limit ${MOST}`,
    [first, last, runId],
  );
  return rows;
}
