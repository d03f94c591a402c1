/** The audit holds on an untouched run and names the first bad row after every kind of tampering. */
import assert from 'node:assert/strict';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditRun, auditWithin, type AuditResult } from '../../lineage/audit/audit-run.ts';
import { sha256 } from '../../lineage/canonical.ts';
import { openPool, type Queryable } from '../../lineage/postgres/connection.ts';
import type { EventHead, PostgresStore } from '../../lineage/postgres/store.ts';
import { startTestServer, type TestDatabase, type TestServer } from './database.ts';
import { playTinyRun, type TinyRun } from './tiny-run.ts';

const server = await startTestServer('audit.test.ts');
const skip = server === null ? 'no PostgreSQL could be started' : false;

interface Case {
  readonly db: TestDatabase;
  readonly store: PostgresStore;
  readonly run: TinyRun;
  readonly audit: (expected?: EventHead) => Promise<AuditResult>;
}

async function played(): Promise<Case> {
  const db = await (server as TestServer).database();
  const store = await db.store();
  const run = await playTinyRun(store);
  const runId = store.runId;
  return {
    ...{ db, store, run },
    audit: (expected) =>
      auditRun({ url: db.url, blobs: db.blobs, runId, ...(expected === undefined ? {} : { expected }) }),
  };
}

// One run for most of them: each tampers within a transaction, audits what it sees there, and rolls back.
const tampered = server === null ? null : await played();
const pool = openPool(tampered?.db.url ?? 'postgresql://127.0.0.1:1/none', { max: 1 });
after(() => pool.end());

test('an untouched run: heads as the store gives them; a noted head goes on holding', { skip }, async () => {
  const { store, audit } = await played();
  const { events, head } = await store.eventHead();
  const contentHead = await store.contentHead();
  assert.deepEqual(await audit(), { ok: true, events, head, contentHead, firstBad: null });
  await store.write({ place: { generation: 9, stageIndex: 0, step: 'x', iteration: 0, group: 0 }, content: { kind: 'note' }, uses: [], blobs: [], seconds: 0, elapsed: 0 }); // prettier-ignore
  assert.equal((await audit({ events, head })).ok, true);
});

/** Name, SQL as the owner would run it with triggers off, what the audit must say. */
const TAMPERINGS: readonly (readonly [string, string, RegExp, RegExp])[] = [
  ['an edited record', `update rsi.record set body = replace(body, '0.1', '0.2') where kind = 'critic-update'`, /text is not the one/, /critic-update/],
  ['an edited record with its digest made to fit', `update rsi.record set body = b, digest = sha256(convert_to(b, 'UTF8')) from (select replace(body, '0.1', '0.2') b from rsi.record where kind = 'critic-update') x where kind = 'critic-update'`, /text is not the one/, /critic-update/],
  ['an edited kind', `update rsi.record set kind = 'note' where kind = 'drift'`, /columns are not its text/, /drift/],
  ['an edited event', `update rsi.event set body = replace(body, '"rows":', '"rows":1') where seq = 5`, /hash is not that of its content/, /event 5$/],
  ['an edited event, hash made to fit', `update rsi.event set hash = sha256(prev || int8send(seq) || convert_to(kind, 'UTF8') || '\\x00'::bytea || convert_to(body || ' ', 'UTF8')), body = body || ' ' where seq = 5`, /does not follow/, /event 6$/],
  ['a deleted middle event', 'delete from rsi.event where seq = 6', /events 6 to 6 are missing/, /event 7$/],
  ['two events swapped', 'update rsi.event set seq = 1000 where seq = 6; update rsi.event set seq = 6 where seq = 7; update rsi.event set seq = 7 where seq = 1000', /does not follow/, /event 6$/],
  ['records swapped between events', `alter table rsi.event drop constraint event_record_id_key; update rsi.event e set record_id = (select record_id from rsi.event o where o.run_id = e.run_id and o.seq = 13 - e.seq) where seq in (6, 7)`, /its event is about/, /event 6\)/],
  ['an altered token', `update rsi.trajectory set token_ids = set_byte(token_ids, 20, 99) where purpose = 'rewrite' and strict`, /row 0 of rsi.trajectory is not/, /rewrite/],
  ['an altered log-probability', `update rsi.trajectory set log_probs = set_byte(log_probs, 60, 3) where purpose = 'evaluation'`, /row 0 of rsi.trajectory is not/, /evaluate-held-out/],
  ['an altered observation', `update rsi.turn set observation = 'all well', exact = null where number = 1`, /row 0 of rsi.trajectory is not/, /demonstrations/],
  ['an altered check', 'update rsi.check_result set final = 1 where ordinal = 1', /row 0 of rsi.trajectory is not/, /demonstrations/],
  ['another parent', `update rsi.trajectory set parent_id = (select min(id) from rsi.trajectory) where purpose = 'rewrite'`, /row 0 of rsi.trajectory is not/, /g001.*rewrite/],
  ['another writer', `update rsi.trajectory set policy_id = (select max(id) from rsi.checkpoint) where purpose = 'evaluation'`, /row 0 of rsi.trajectory is not/, /evaluate-held-out/],
  ['a deleted trajectory', `delete from rsi.trajectory where purpose = 'evaluation'`, /row 0 of rsi.task is missing/, /evaluate-held-out/],
  ['an edited task', `update rsi.task set instruction = 'easier' where split = 'held-out'`, /row 0 of rsi.task is not/, /evaluate-held-out/],
  ['a stray task', `insert into rsi.task (run_id, digest, split, family, instruction, verifier_digest, sub_goals, check_weights, turn_limit, body, body_digest) select run_id, digest, split, family, instruction, verifier_digest, sub_goals, check_weights, turn_limit, '{}', sha256('{}') from rsi.task limit 1`, /no group attempted/, /task/],
  ['a refused rewrite accepted', 'update rsi.rewrite set accepted = true, gate = null', /row 1 of rsi.rewrite is not/, /gates/],
  ['a decision on another child', 'alter table rsi.rewrite drop constraint rewrite_record_id_child_id_key; update rsi.rewrite set child_id = (select max(child_id) from rsi.rewrite) where ordinal = 0', /row 0 of rsi.rewrite is not/, /gates/],
  ['an extra checkpoint', `insert into rsi.checkpoint (run_id, record_id, role, digest, weights_digest) select run_id, record_id, 'critic', digest, weights_digest from rsi.checkpoint where role = 'policy' order by id limit 1`, /row 1 of rsi.checkpoint was never stored/, /start-model/],
  ['other weights', `update rsi.checkpoint set weights_digest = sha256('x') where id = (select max(id) from rsi.checkpoint)`, /row 1 of rsi.checkpoint/, /policy-update/],
  ['an edge led elsewhere', `update rsi.record_use set group_id = (select min(record_id) from rsi.episode_group) where role = 'rollouts'`, /rsi.record_use is not/, /policy-update/],
  ['a removed edge', `delete from rsi.record_use where role = 'originals'`, /row 2 of rsi.record_use is missing/, /fine-tune/],
  ['a better evaluation', `update rsi.evaluation_outcome set state = 'strict'`, /rsi.evaluation_outcome is not/, /outcomes-held-out/],
  ['a better handoff', 'update rsi.handoff set explained_variance_after = 0.9', /rsi.handoff is not/, /handoff/],
  ['another calibration', `update rsi.calibration set maps = '{}'`, /rsi.calibration is not/, /calibration/],
  ['a group said to be learnable', `update rsi.episode_group set learnable = true`, /rsi.episode_group is not/, /evaluate-held-out/],
  ['an added record', `insert into rsi.record (run_id, generation, stage_index, step, iteration, group_index, kind, body, digest, content_digest) select run_id, 7, stage_index, step, iteration, group_index, kind, body, digest, content_digest from rsi.record limit 1`, /has no event/, /g007/],
  ['another seed', 'update rsi.run set seed = seed + 1', /not what event 1 says/, /run/],
]; // prettier-ignore

async function tampering(
  work: (db: Queryable, audit: (expected?: EventHead) => Promise<AuditResult>) => Promise<void>,
): Promise<void> {
  const { db, store } = tampered as Case;
  const client = await pool.connect();
  try {
    await client.query('begin; set local session_replication_role = replica');
    const asked = { blobs: db.blobs, runId: store.runId };
    await work(client, (expected) =>
      auditWithin(client, { ...asked, ...(expected === undefined ? {} : { expected }) }),
    );
  } finally {
    await client.query('rollback');
    client.release();
  }
}

for (const [name, sql, what, where] of TAMPERINGS) {
  test(`tampering: ${name}`, { skip }, () =>
    tampering(async (db, audit) => {
      let changed: number | null = 0;
      for (const statement of sql.split(';')) changed = (await db.query(statement)).rowCount;
      assert.notEqual(changed, 0, 'the tampering must change something');
      const { ok, firstBad } = await audit();
      assert.equal(ok, false);
      assert.match(firstBad?.what ?? '', what);
      assert.match(firstBad?.where ?? '', where);
    }),
  );
}

test('tampering: a cut tail is seen only with a head that was noted outside', { skip }, () =>
  tampering(async (db, audit) => {
    const noted = await (tampered as Case).store.eventHead();
    await db.query('delete from rsi.event where record_id = (select max(id) from rsi.record)');
    await db.query('delete from rsi.record_use where record_id = (select max(id) from rsi.record)');
    await db.query('delete from rsi.record where id = (select max(id) from rsi.record)');
    assert.equal((await audit()).ok, true);
    const { ok, firstBad } = await audit(noted);
    assert.equal(ok, false);
    assert.match(firstBad?.what ?? '', /the chain ends at event \d+; the noted head counts/);
  }),
);

test('tampering: a chain hashed anew after an edit is seen only with a noted head', { skip }, () =>
  tampering(async (db, audit) => {
    const noted = await (tampered as Case).store.eventHead();
    const { rows } = await db.query<{ seq: number; kind: string; body: string; prev: Buffer }>(
      'select seq, kind, body, prev from rsi.event order by seq',
    );
    let prev = (rows[0] as (typeof rows)[0]).prev;
    for (const { seq, kind, body } of rows) {
      const number = Buffer.alloc(8);
      number.writeBigInt64BE(BigInt(seq));
      const edited = body.replace('"at":"2', '"at":"3');
      const hash = sha256(prev, number, kind, '\0', edited);
      await db.query('update rsi.event set body = $1, prev = $2, hash = $3 where seq = $4', [edited, prev, hash, seq]);
      prev = hash;
    }
    assert.equal((await audit()).ok, true);
    assert.match((await audit(noted)).firstBad?.what ?? '', /not the noted head/);
  }),
);

test('tampering: a swapped, an extended and a missing file', { skip }, async () => {
  const { db, run, audit } = await played();
  const path = (digest: string): string => join(db.blobs, digest.slice(0, 2), digest);
  const file = path(run.rewritten.digest);
  const bytes = await readFile(file);
  await writeFile(file, await readFile(path(run.start.digest)));
  assert.match((await audit()).firstBad?.what ?? '', /is corrupt/);
  await writeFile(file, bytes);
  await appendFile(file, ' ');
  assert.match((await audit()).firstBad?.what ?? '', /is corrupt/);
  await rm(file);
  const { firstBad } = await audit();
  assert.match(firstBad?.what ?? '', /cannot be read/);
  assert.match(firstBad?.where ?? '', /fine-tune/);
  await writeFile(file, bytes);
  assert.equal((await audit()).ok, true);
});

test('a run that is not there is said to be not there', { skip }, async () => {
  const { db } = await played();
  await assert.rejects(auditRun({ url: db.url, blobs: db.blobs, runId: 99 }), { message: /no run 99/ });
});
