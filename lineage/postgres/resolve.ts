/**
 * Digests to row numbers, within one run. Equal content may stand at several places: the latest is meant, as nothing
 * later can have been read. What is not there is null, or missing from the map.
 */
import type { Digest } from '../../contracts/digest.ts';
import { bytesOf, type Queryable } from './connection.ts';

export interface ResolvedUse {
  readonly checkpointId: number | null;
  readonly groupId: number | null;
}

export async function resolveUses(
  client: Queryable,
  runId: number,
  digests: readonly Digest[],
): Promise<ReadonlyMap<Digest, ResolvedUse>> {
  if (digests.length === 0) return new Map();
  const { rows } = await client.query<{ name: Digest } & ResolvedUse>(
    `select encode(digest, 'hex') as name, max(id) as "checkpointId", null::bigint as "groupId"
       from rsi.checkpoint where run_id = $1 and digest = any($2) group by digest
     union all
     select encode(digest, 'hex'), null, max(record_id)
       from rsi.episode_group where run_id = $1 and digest = any($2) group by digest`,
    [runId, distinct(digests)],
  );
  return new Map(rows.map(({ name, checkpointId, groupId }) => [name, { checkpointId, groupId }]));
}

export function resolveTasks(client: Queryable, runId: number, bodyDigests: readonly Digest[]) {
  return idsOf(
    client,
    `select encode(body_digest, 'hex') as name, id from rsi.task where run_id = $1 and body_digest = any($2)`,
    [runId, distinct(bodyDigests)],
  );
}

/** Checkpoints by the weights they hold: what a trajectory says of its writer. */
export function resolveWriters(client: Queryable, runId: number, weights: readonly Digest[]) {
  return idsOf(
    client,
    `select encode(weights_digest, 'hex') as name, max(id) as id from rsi.checkpoint
     where run_id = $1 and weights_digest = any($2) group by weights_digest`,
    [runId, distinct(weights)],
  );
}

export function resolveTrajectories(client: Queryable, runId: number, digests: readonly Digest[]) {
  return idsOf(
    client,
    `select encode(t.digest, 'hex') as name, max(t.id) as id
     from rsi.trajectory t join rsi.episode_group g on g.record_id = t.group_id
     where t.digest = any($2) and g.run_id = $1 group by t.digest`,
    [runId, distinct(digests)],
  );
}

/** The tasks attempted in these groups, by the tasks' names. */
export function resolveAttempted(client: Queryable, groupIds: readonly number[]) {
  return idsOf(
    client,
    `select distinct encode(k.digest, 'hex') as name, k.id
     from rsi.trajectory t join rsi.task k on k.id = t.task_id where t.group_id = any($1)`,
    [groupIds],
  );
}

export interface Candidate {
  readonly id: number;
  readonly parentId: number | null;
  readonly parent: Digest | null;
}

/** The trajectories of these groups with their parents, by name. */
export async function resolveCandidates(
  client: Queryable,
  groupIds: readonly number[],
): Promise<ReadonlyMap<Digest, Candidate>> {
  const { rows } = await client.query<{ name: Digest } & Candidate>(
    `select encode(t.digest, 'hex') as name, t.id, t.parent_id as "parentId", encode(p.digest, 'hex') as parent
     from rsi.trajectory t left join rsi.trajectory p on p.id = t.parent_id where t.group_id = any($1)`,
    [groupIds],
  );
  return new Map(rows.map(({ name, ...candidate }) => [name, candidate]));
}

async function idsOf(
  client: Queryable,
  text: string,
  parameters: readonly unknown[],
): Promise<ReadonlyMap<Digest, number>> {
  const { rows } = await client.query<{ name: Digest; id: number }>(text, [...parameters]);
  return new Map(rows.map(({ name, id }) => [name, id]));
}

function distinct(digests: readonly Digest[]): Buffer[] {
  return [...new Set(digests)].map(bytesOf);
}
