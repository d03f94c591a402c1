/** The questions of docs/lineage.md, asked of a run whose answers are known. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openPool } from '../../lineage/postgres/connection.ts';
import {
  ancestorsOfCheckpoint,
  checkpointData,
  checkpointsTrainedOn,
  descendantsOfCheckpoint,
  leaks,
} from '../../lineage/postgres/checkpoint-queries.ts';
import {
  ancestorsOfTrajectory,
  descendantsOfTrajectory,
  findThings,
  funnel,
  listRuns,
  whyRewrite,
} from '../../lineage/postgres/queries.ts';
import { learns } from '../../lineage/projection/learns.ts';
import { startTestServer } from './database.ts';
import { playTinyRun, type TinyRun } from './tiny-run.ts';

const server = await startTestServer('queries.test.ts');
const skip = server === null ? 'no PostgreSQL could be started' : false;
const database = server === null ? null : await server.database();
const pool = openPool(database?.url ?? 'postgresql://127.0.0.1:1/none');
after(() => pool.end());
// A second run of the same content: answers about one must not mix in the other.
const store = await database?.store();
const run = store === undefined ? (null as unknown as TinyRun) : await playTinyRun(store);
const other = await database?.store();
if (other !== undefined) await playTinyRun(other);
const id = store?.runId ?? 0;

test('ancestors of a rewrite lead to its parent, with who wrote it and how it ended', { skip }, async () => {
  const line = await ancestorsOfTrajectory(pool, id, run.accepted.id);
  assert.deepEqual(line.map(({ depth, digest }) => [depth, digest]), [[0, run.accepted.id], [1, run.parent.id]]); // prettier-ignore
  const { place, purpose, policy, strict, accepted, gate, turns } = line[0] as (typeof line)[0];
  assert.deepEqual(
    { place, purpose, policy, strict, accepted, gate, turns },
    { place: 'g001/s01/rewrite/000-000', purpose: 'rewrite', policy: run.start.digest, strict: true, accepted: true, gate: null, turns: 2 }, // prettier-ignore
  );
});

test('descendants of a parent, nearest first; a cut is said', { skip }, async () => {
  const { episodes, truncated } = await descendantsOfTrajectory(pool, id, run.parent.id.slice(0, 16));
  assert.deepEqual(episodes.map(({ digest }) => digest), [run.accepted.id, run.refused.id]); // prettier-ignore
  assert.equal(truncated, false);
  const cut = await descendantsOfTrajectory(pool, id, run.parent.id, 1);
  assert.deepEqual([cut.episodes.length, cut.truncated], [1, true]);
});

test('why a rewrite was accepted or not', { skip }, async () => {
  const [yes] = await whyRewrite(pool, id, run.accepted.id);
  const [no, ...more] = await whyRewrite(pool, id, run.refused.id);
  assert.deepEqual([yes?.accepted, yes?.gate, no?.accepted, no?.gate, more], [true, null, false, 'not-strict', []]);
  assert.deepEqual([no?.parent, no?.turnDelta, no?.similarity], [run.parent.id, -1, 0.25]);
  assert.deepEqual((no?.measures as { verdicts: string[] }).verdicts, ['strict']);
});

test('the funnel counts by gate', { skip }, async () => {
  const accepted = { polish: 0, repair: 1 };
  const round = { generation: 1, stageIndex: 0, parents: 1, candidates: 2, accepted, gates: { 'not-strict': 1 } };
  assert.deepEqual(await funnel(pool, id), [round]);
});

test('a policy descends from policies, a critic from critics, though one record made both', { skip }, async () => {
  const line = await ancestorsOfCheckpoint(pool, id, run.refined.digest);
  assert.deepEqual(
    line.map(({ role, place, usedAs }) => `${usedAs ?? 'asked'} ${role} ${place}`),
    [
      'asked policy g001/s02/policy-update/000-000',
      'parent policy g001/s01/fine-tune/000-000',
      'parent policy g000/s00/imitation/000-000',
      'parent policy g000/s00/start-model/000-000',
    ],
  );
  const after = await descendantsOfCheckpoint(pool, id, run.critic.digest);
  assert.deepEqual(after.map(({ role, depth }) => `${role} ${depth}`), ['critic 0', 'critic 1', 'critic 2']); // prettier-ignore
});

test('what a checkpoint learned from, and who learned from an episode or its rewrites', { skip }, async () => {
  const data = await checkpointData(pool, id, run.rewritten.digest);
  assert.deepEqual(
    data.map(({ role, place, episodes, lessons }) => [role, place, episodes, lessons]),
    // One of two rewrites was accepted; no original was strict.
    [['accepted', 'g001/s01/rewrite/000-000', 2, 1], ['originals', 'g000/s01/rollout/000-000', 2, 0]], // prettier-ignore
  );
  const trained = await checkpointsTrainedOn(pool, id, run.parent.id);
  assert.deepEqual(
    trained.map(({ role, as, distance, place }) => [role, as, distance, place]),
    [
      ['critic', 'fitted', 0, 'g000/s01/critic-update/000-000'],
      ['policy', 'accepted', 1, 'g001/s01/fine-tune/000-000'],
      ['critic', 'fitted', 0, 'g001/s02/handoff/000-000'],
    ],
  );
  assert.deepEqual(await checkpointsTrainedOn(pool, id, run.refused.id), []);
});

test('names: short ones are found, what is none is refused; runs are listed', { skip }, async () => {
  const [thing] = await findThings(pool, id, run.start.digest.slice(0, 8));
  assert.deepEqual([thing?.kind, thing?.digest], ['checkpoint', run.start.digest]);
  await assert.rejects(findThings(pool, id, 'xyz'), { message: /8 to 64 hex/ });
  await assert.rejects(whyRewrite(pool, id, '0'.repeat(64)), { message: /has no trajectory/ });
  assert.deepEqual((await listRuns(pool)).map(({ ordinal, records }) => [ordinal, records > 10]), [[2, true], [1, true]]); // prettier-ignore
});

test('no leak; one forced in past the constraints is found, as is a task under two splits', { skip }, async () => {
  assert.deepEqual(await leaks(pool, id), []);
  const tamper = (sql: string) => (database as NonNullable<typeof database>).tamper(sql, [id]);
  await tamper(`update rsi.record_use u set group_id = (select g.record_id from rsi.episode_group g where g.run_id = $1 and not g.learnable order by 1 limit 1)
                from rsi.record r where r.id = u.record_id and r.run_id = $1 and u.role = 'rollouts'`); // prettier-ignore
  const found = (await leaks(pool, id)).map(({ rule }) => rule);
  assert.deepEqual(found.sort(), ['learned-from-other-split', 'task-both-learned-and-measured']);
});

test('the recipes of docs/lineage.md run as they stand there', { skip }, async () => {
  const page = await readFile(new URL('../../docs/lineage.md', import.meta.url), 'utf8');
  const recipes = (/```sql\n([^]*?)```/.exec(page)?.[1] ?? '').split(/;\n/).filter((recipe) => recipe.trim() !== '');
  const counts: number[] = [];
  for (const recipe of recipes) {
    const sql = recipe
      .replaceAll('8a7c…', run.accepted.id)
      .replaceAll('bda2…', run.refined.digest)
      .replaceAll('$RUN', String(other?.runId));
    counts.push((await pool.query(sql)).rowCount ?? -1);
  }
  // Both runs hold the same digests, so what asks by digest alone answers for both.
  assert.deepEqual(counts, [4, 2, 2, 2, 10, 2, 2, 1, 0]);
});

test('which roles learn is the same in the schema and in the program', { skip }, async () => {
  const roles = 'policy parent reference candidate promoted probe episodes candidates imitated fitted rollouts accepted originals replay rows new'.split(' '); // prettier-ignore
  const { rows } = await pool.query<{ role: string; learns: boolean }>(
    'select role, rsi.learns(role) as learns from unnest($1::text[]) role',
    [roles],
  );
  for (const row of rows) assert.equal(row.learns, learns(row.role), row.role);
});

test('the recursions go by index, whatever the size', { skip }, async () => {
  const client = await pool.connect();
  try {
    await client.query('begin; set local enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain with recursive tree as (
         select id from rsi.trajectory where id = 1
         union all select c.id from tree join rsi.trajectory c on c.parent_id = tree.id) select * from tree`,
    );
    assert.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /trajectory_parent/);
    await client.query('rollback');
  } finally {
    client.release();
  }
});
