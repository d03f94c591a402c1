/** The rows that show a record, within its transaction: uses first, then what it made of them. */
import type { Digest } from '../../contracts/digest.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import { refuse } from '../projection/parse.ts';
import { isKnownKind } from '../projection/project.ts';
import type { Projection } from '../projection/projection.ts';
import { bytesOf, type Queryable } from './connection.ts';
import { insertGroup } from './insert-group.ts';
import { insertRows, numbersLiteral } from './insert-rows.ts';
import { resolveAttempted, resolveCandidates, resolveUses, type ResolvedUse } from './resolve.ts';

export interface RecordPlace {
  readonly runId: number;
  readonly recordId: number;
  readonly record: StoredRecord;
}

type Uses = ReadonlyMap<Digest, ResolvedUse>;

export async function insertProjection(client: Queryable, place: RecordPlace, rows: Projection): Promise<void> {
  const { runId, recordId, record } = place;
  await insertRows(
    client,
    'record_blob',
    { record_id: 'bigint', ordinal: 'int', digest: 'bytea' },
    rows.blobs.map((digest, ordinal) => ({ record_id: recordId, ordinal, digest: bytesOf(digest) })),
  );
  if (!isKnownKind(record.content.kind)) return;
  const used = await resolveUses(
    client,
    runId,
    rows.uses.map(({ digest }) => digest),
  );
  await insertUses(client, place, rows, used);
  if (rows.group !== null) await insertGroup(client, place, rows);
  await insertRows(
    client,
    'checkpoint',
    { run_id: 'bigint', record_id: 'bigint', role: 'text', digest: 'bytea', weights_digest: 'bytea' },
    rows.checkpoints.map(({ role, digest, weightsDigest }) => ({
      ...{ run_id: runId, record_id: recordId, role },
      digest: bytesOf(digest),
      weights_digest: bytesOf(weightsDigest),
    })),
  );
  if (rows.rewrites.length > 0) await insertRewrites(client, place, rows, used);
  if (rows.outcomes.length > 0) await insertOutcomes(client, place, rows, used);
  if (rows.calibration !== null) await insertCalibration(client, place, rows.calibration);
  if (rows.handoff !== null) await insertHandoff(client, place, rows.handoff, used);
}

function insertUses(client: Queryable, { recordId, record }: RecordPlace, rows: Projection, used: Uses): Promise<void> {
  return insertRows(
    client,
    'record_use',
    { record_id: 'bigint', ordinal: 'int', role: 'text', checkpoint_id: 'bigint', group_id: 'bigint' },
    rows.uses.map(({ role, digest }, ordinal) => {
      const at = used.get(digest) ?? refuse(record, `what it uses as ${role}, ${digest.slice(0, 12)}, is not stored`);
      return { record_id: recordId, ordinal, role, checkpoint_id: at.checkpointId, group_id: at.groupId };
    }),
  );
}

function groupsOf(rows: Projection, role: string, used: Uses): number[] {
  return rows.uses.flatMap((use) => (use.role === role ? [used.get(use.digest)?.groupId ?? -1] : []));
}

async function insertRewrites(
  client: Queryable,
  { recordId, record }: RecordPlace,
  rows: Projection,
  used: Uses,
): Promise<void> {
  const candidates = await resolveCandidates(client, groupsOf(rows, 'candidates', used));
  await insertRows(
    client,
    'rewrite',
    REWRITE,
    rows.rewrites.map(({ childId, parentId, ...row }, ordinal) => {
      const child = candidates.get(childId);
      if (child === undefined) return refuse(record, `rewrite ${childId.slice(0, 12)} is not among its candidates`);
      if (child.parent !== parentId) refuse(record, `rewrite ${childId.slice(0, 12)} has another parent`);
      return {
        ...{ record_id: recordId, ordinal, child_id: child.id, parent_id: child.parentId },
        ...{ mode: row.mode, accepted: row.accepted, gate: row.gate, measures: row.measures },
        ...{ turn_delta: row.turnDelta, token_delta: row.tokenDelta, failed_delta: row.failedDelta },
        similarity: row.similarity,
      };
    }),
  );
}

async function insertOutcomes(
  client: Queryable,
  { recordId, record }: RecordPlace,
  rows: Projection,
  used: Uses,
): Promise<void> {
  const tasks = await resolveAttempted(client, groupsOf(rows, 'episodes', used));
  await insertRows(
    client,
    'evaluation_outcome',
    OUTCOME,
    rows.outcomes.map((row, ordinal) => ({
      ...{ record_id: recordId, ordinal, evaluation_set: row.set, state: row.state, progress: row.progress },
      task_id: tasks.get(row.taskId) ?? refuse(record, `its groups never attempted task ${row.taskId.slice(0, 12)}`),
      checks: numbersLiteral(row.checks),
      ...{ turns: row.turns, action_tokens: row.actionTokens, failed_commands: row.failedCommands },
    })),
  );
}

async function insertCalibration(
  client: Queryable,
  { recordId }: RecordPlace,
  row: NonNullable<Projection['calibration']>,
): Promise<void> {
  await client.query(
    `insert into rsi.calibration (record_id, digest, episodes, error_of_raw, error_of_former_maps, maps)
     values ($1, $2, $3, $4, $5, $6)`,
    [recordId, bytesOf(row.digest), row.episodes, row.errorOfRaw, row.errorOfFormerMaps, row.maps],
  );
}

async function insertHandoff(
  client: Queryable,
  { recordId, record }: RecordPlace,
  row: NonNullable<Projection['handoff']>,
  used: Uses,
): Promise<void> {
  const parent = row.parent === null ? null : (used.get(row.parent)?.checkpointId ?? null);
  if (row.parent !== null && parent === null) refuse(record, 'the critic it inherits is not among its uses');
  await client.query(
    `insert into rsi.handoff (record_id, critic_id, parent_id, explained_variance_before, explained_variance_after, loss)
     select $1, id, $2, $3, $4, $5 from rsi.checkpoint where record_id = $1 and role = 'critic'`,
    [recordId, parent, row.explainedVarianceBefore, row.explainedVarianceAfter, row.loss],
  );
}

const REWRITE = {
  ...{ record_id: 'bigint', ordinal: 'int', child_id: 'bigint', parent_id: 'bigint', mode: 'text' },
  ...{ accepted: 'boolean', gate: 'text', turn_delta: 'float8', token_delta: 'float8', failed_delta: 'float8' },
  ...{ similarity: 'float8', measures: 'text' },
} as const;

const OUTCOME = {
  ...{ record_id: 'bigint', ordinal: 'int', evaluation_set: 'text', task_id: 'bigint', state: 'text' },
  ...{ checks: 'float8[]', progress: 'float8', turns: 'int', action_tokens: 'int', failed_commands: 'int' },
} as const;
