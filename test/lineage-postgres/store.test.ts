/** The Postgres store keeps the RunStore's promises, under concurrent and late writers, and refuses what breaks a rule. */
import assert from 'node:assert/strict';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolderStore } from '../../lineage/folder-store.ts';
import { copyRun } from '../../lineage/copy-run.ts';
import type { StoredRecord, Use } from '../../contracts/run-store.ts';
import { runStoreContract, type OpenedStore } from '../lineage/run-store-contract.ts';
import { startTestServer, type TestDatabase, type TestServer } from './database.ts';
import { aCheckpoint, aGroup, anEpisode, aTask, at, playTinyRun, record } from './tiny-run.ts';

const server = await startTestServer('store.test.ts');
const skip = server === null ? 'no PostgreSQL could be started' : false;
const shared = server === null ? null : await server.database();

let names = 0;
async function opened(database: TestDatabase, name = `contract-${(names += 1)}`): Promise<OpenedStore> {
  const store = await database.store(name);
  return {
    store,
    close: () => store.close(),
    reopen: async () => {
      await store.close();
      return opened(database, name);
    },
  };
}

if (shared !== null) runStoreContract('postgres', () => opened(shared));

const database = (): Promise<TestDatabase> => (server as TestServer).database();

test('a folder run is copied whole, with the same content head; a second copy changes nothing', { skip }, async () => {
  const db = await database();
  const folder = await openFolderStore(join(db.blobs, '..', 'folder-run'));
  await playTinyRun(folder);
  const store = await db.store();
  const copied = await copyRun(folder, store);
  assert.equal(copied.records, (await folder.list()).length);
  assert.equal(await store.contentHead(), await folder.contentHead());
  assert.deepEqual(await store.list(), await folder.list());
  const head = await store.eventHead();
  assert.equal(head.events, copied.records + 1);
  assert.deepEqual(await copyRun(folder, store), copied);
  assert.deepEqual(await store.eventHead(), head);
  await folder.close();
});

test('15 writers at once: each record once, the numbers of the chain dense', { skip }, async () => {
  const db = await database();
  const setup = await db.store('busy');
  const policy = await aCheckpoint(setup, 'policy', 'start');
  await setup.write(record(at(0, -1, 'start-model'), policy, [policy.digest]));
  const writers = await Promise.all(Array.from({ length: 15 }, () => db.store('busy', { connections: 2 })));
  const written = await Promise.all(
    writers.flatMap((store, w) =>
      [0, 1, 2].map(async (i) => {
        const tasks = [aTask(i), aTask(w), aTask(100 + w)];
        // All fight over one place with records of their own, and each has two to itself.
        const place = i === 2 ? at(1, 0, 'fight') : at(1, 0, 'rollout', w, i);
        const episodes = tasks.map((task, k) => anEpisode(task, policy, { seed: 100 * w + 10 * i + k }));
        return store.write(await aGroup(store, place, tasks, episodes, [{ role: 'policy', digest: policy.digest }]));
      }),
    ),
  );
  assert.equal(new Set(written.map((one) => JSON.stringify(one))).size, 31);
  const { rows } = await db.tamper('select seq::int from rsi.event order by seq');
  assert.deepEqual(rows.map(({ seq }: { seq: number }) => seq), Array.from({ length: 33 }, (_, i) => i + 1)); // prettier-ignore
  const counts = await db.tamper('select (select count(*) from rsi.record)::int r, (select count(*) from rsi.trajectory)::int t'); // prettier-ignore
  assert.deepEqual(counts.rows[0], { r: 32, t: 93 });
});

test(
  'a claim finds its run again; another configuration is refused; a new execution is the next ordinal',
  { skip },
  async () => {
    const db = await database();
    const first = await db.store('one');
    assert.equal((await db.store('one')).runId, first.runId);
    const second = await db.store('two');
    assert.notEqual(second.runId, first.runId);
    assert.deepEqual([first.ordinal, second.ordinal], [1, 2]);
    await db.tamper(`update rsi.run set config_digest = sha256('other') where id = $1`, [first.runId]);
    await assert.rejects(db.store('one'), { boundary: 'lineage', message: /was begun with configuration/ });
  },
);

test('of 15 that claim a run at once all get the same one', { skip }, async () => {
  const db = await database();
  const stores = await Promise.all(Array.from({ length: 15 }, () => db.store('same', { connections: 1 })));
  assert.equal(new Set(stores.map(({ runId }) => runId)).size, 1);
  assert.deepEqual((await (stores[0] as { eventHead(): Promise<{ events: number }> }).eventHead()).events, 1);
});

test('a superseded attempt reads what is stored and writes nothing new', { skip }, async () => {
  const db = await database();
  const old = await db.store('fenced', { lease: 1 });
  const kept = await old.write(record(at(1, 0, 'a'), { kind: 'test', value: 1 }));
  const next = await db.store('fenced', { lease: 2 });
  await assert.rejects(old.write(record(at(1, 0, 'b'), { kind: 'test', value: 2 })), { message: /superseded/, retryable: false }); // prettier-ignore
  assert.deepEqual(await old.write(record(at(1, 0, 'a'), { kind: 'test', value: 3 })), kept);
  await next.write(record(at(1, 0, 'b'), { kind: 'test', value: 4 }));
  await assert.rejects(db.store('fenced', { lease: 1 }), { message: /superseded/ });
});

test('two runs of the same content have rows of their own and share the files', { skip }, async () => {
  const db = await database();
  const [one, two] = [await db.store(), await db.store()];
  await playTinyRun(one);
  const files = await readdir(db.blobs, { recursive: true });
  await playTinyRun(two);
  assert.deepEqual((await readdir(db.blobs, { recursive: true })).sort(), files.sort());
  assert.equal(await one.contentHead(), await two.contentHead());
  assert.notEqual((await one.eventHead()).head, (await two.eventHead()).head);
  const { rows } = await db.tamper('select count(*)::int n, count(distinct digest)::int d from rsi.trajectory');
  const { n, d } = rows[0] as { n: number; d: number };
  assert.equal(n, 2 * d);
});

test('a record whose file is gone does not exist, until it is made once more', { skip }, async () => {
  const db = await database();
  const store = await db.store();
  const { start } = await playTinyRun(store);
  const path = join(db.blobs, start.digest.slice(0, 2), start.digest);
  await rm(path);
  assert.equal(await store.read(at(0, -1, 'imitation')), null);
  await assert.rejects(store.getBlob(start.digest), { boundary: 'storage' });
  await aCheckpoint(store, 'policy', 'start');
  assert.ok((await stat(path)).size > 0);
  assert.notEqual(await store.read(at(0, -1, 'imitation')), null);
});

test('what breaks a rule is refused by name, and leaves nothing behind', { skip }, async () => {
  const db = await database();
  const store = await db.store();
  const run = await playTinyRun(store);
  const before = await store.eventHead();
  const next = await aCheckpoint(store, 'policy', 'next');
  const task = aTask(1);
  const policy: Use = { role: 'policy', digest: run.start.digest };
  const tuned = (uses: readonly Use[]) =>
    record(at(2, 0, 'fine-tune'), { kind: 'rewrite-round', policy: next }, [next.digest], uses);
  const group = (episode: Parameters<typeof anEpisode>[2], of = task) =>
    aGroup(store, at(2, 0, 'rollout'), [of], [anEpisode(of, run.start, episode)], [policy]);
  const child = { purpose: 'rewrite' as const, mode: 'repair' as const };
  const heldOut = (await db.tamper(`select encode(digest, 'hex') d from rsi.trajectory where split <> 'train'`)).rows as { d: string }[]; // prettier-ignore
  const whole = await group({});
  const short = { ...whole, content: { ...whole.content, summary: { ...whole.content.summary, episodes: 2 } } };
  const cases: readonly (readonly [string, StoredRecord, RegExp])[] = [
    ['held-out data in training', tuned([{ role: 'fitted', digest: run.heldOut.digest }]), /outside the train split/],
    ['an unknown role counts as learning', tuned([{ role: 'new', digest: run.heldOut.digest }]), /outside the train/],
    ['use of what is not stored', tuned([{ role: 'parent', digest: 'ab'.repeat(32) }]), /parent, abababababab, is not/],
    [
      'an unknown parent',
      await group({ ...child, parentId: 'cd'.repeat(32) }),
      /the parent cdcdcdcdcdcd .* not stored/,
    ],
    [
      'a held-out parent',
      await group({ ...child, parentId: heldOut[0]?.d as string }),
      /parent is not of the train split/,
    ],
    ['a rewrite without parent', await group(child), /a rewrite has no parent/],
    ['an unknown writer', await group({ policy: 'ef'.repeat(32) }), /the policy efefefefefef .* not stored/],
    ['neither verdict nor failure', await group({ verdict: null }), /neither a verdict nor a failure/],
    ['arrays of two lengths', await group({ turnIds: [1] }), /differ in length/],
    ['a wrong summary', short, /summary does not count/],
    ['added tasks without any', record(at(3, -1, 'x'), { kind: 'added-tasks', families: [] }), /kind added-tasks, fam/],
    ['a content of another shape', record(at(2, 0, 'x'), { kind: 'drift', kl: 'no' }), /kind drift, kl: /],
    ['a file that was never stored', record(at(2, 0, 'x'), { kind: 'test' }, ['12'.repeat(32)]), /refused/],
  ];
  for (const [name, bad, message] of cases) {
    await assert.rejects(store.write(bad), { boundary: 'lineage', retryable: false, message }, name);
  }
  assert.deepEqual(await store.eventHead(), before);
  // The place is free for what is right.
  await store.write(whole);
});
