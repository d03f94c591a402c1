/** `rsi lineage` as a person uses it: a digest's beginning, no run; two runs that hold the same; mistakes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { diffEpisodes } from '../../cli/lineage/episode-diff.ts';
import { findSubject, type Asked } from '../../cli/lineage/subject.ts';
import { openPool } from '../../lineage/postgres/connection.ts';
import { startTestServer } from '../lineage-postgres/database.ts';
import { playTinyRun, type TinyRun } from '../lineage-postgres/tiny-run.ts';
import { runCli, type Ended } from './run-cli.ts';

const server = await startTestServer('lineage.test.ts');
const skip = server === null ? 'no PostgreSQL could be started' : false;
const database = server === null ? null : await server.database();
const older = await database?.store('older');
const run = older === undefined ? (null as unknown as TinyRun) : await playTinyRun(older);
const newer = await database?.store('newer');
if (newer !== undefined) await playTinyRun(newer);
const pool = openPool(database?.url ?? 'postgresql://127.0.0.1:1/none', { max: 1 });
after(() => pool.end());

const rsi = (...args: readonly string[]): Promise<Ended> =>
  runCli(['lineage', ...args], { env: { DATABASE_URL: database?.url, RSI_BLOBS: database?.blobs } });
const json = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await rsi(...args, '--json')).stdout) as Record<string, unknown>;
const short = (digest: string): string => digest.slice(0, 10);
const depths = (rows: unknown): unknown[] =>
  (rows as { depth: number; digest: string }[]).map(({ depth, digest }) => [depth, digest]);

test(
  'a digest alone asks for both directions, of the newest run that holds it; the others are named',
  { skip },
  async () => {
    const { code, stdout, stderr } = await rsi(short(run.accepted.id));
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^trajectory ${run.accepted.id} of run ${newer?.runId} \\(local\\)\nancestors:\n`));
    assert.match(stdout, /\nrewrites:\n {2}nothing\n.*\ncheckpoints:\n {2}digest/s);
    assert.equal(stderr, `${run.accepted.id.slice(0, 12)} as in run ${newer?.runId}; also in ${older?.runId} (local) (--run takes another)\n`); // prettier-ignore
    const answer = await json(short(run.accepted.id), '--run', String(older?.runId));
    assert.deepEqual([answer['run'], answer['id'], answer['kind'], answer['alsoIn']], [older?.runId, run.accepted.id, 'trajectory', []]); // prettier-ignore
    assert.deepEqual(depths(answer['ancestors']), [[0, run.accepted.id], [1, run.parent.id]]); // prettier-ignore
  },
);

test('up and down of a checkpoint, also by the digest of its weights; what it learned from', { skip }, async () => {
  const [up, down, data] = await Promise.all([
    json('up', short(run.rewritten.weightsDigest)),
    json('down', short(run.critic.digest)),
    json('data', short(run.rewritten.digest)),
  ]);
  assert.deepEqual([up['kind'], up['id']], ['checkpoint', run.rewritten.digest]);
  assert.deepEqual(depths(up['ancestors']).slice(0, 2), [[0, run.rewritten.digest], [1, run.start.digest]]); // prettier-ignore
  assert.deepEqual((down['descendants'] as { depth: number }[]).map(({ depth }) => depth), [1, 2]); // prettier-ignore
  assert.deepEqual((data['groups'] as { role: string }[]).map(({ role }) => role), ['accepted', 'originals']); // prettier-ignore
});

test(
  'diff puts a rewrite beside its parent: turns, checks, gates; what was shown cannot move the cursor',
  { skip },
  async () => {
    const { code, stdout } = await rsi('diff', short(run.refused.id));
    assert.equal(code, 0);
    assert.match(
      stdout,
      new RegExp(`\n${run.parent.id.slice(0, 12)}  rollout .* \\| ${run.refused.id.slice(0, 12)}  repair`),
    );
    assert.match(stdout, /\n1 \$ echo "1" > a += 1 \$ echo "1" > a\nnul \u2400 and/);
    assert.match(stdout, /0 -> 0\.5 {2}check-1/);
    assert.match(stdout, /gates: refused by not-strict at g001\/s01\/gates\/000-000\n {2}failedDelta: 0\n/);
    const diff = await json('diff', short(run.accepted.id));
    const { left, right, decisions } = diff as { left: { digest: string }; right: { digest: string }; decisions: { accepted: boolean }[] }; // prettier-ignore
    assert.deepEqual([left.digest, right.digest, decisions.map(({ accepted }) => accepted)], [run.parent.id, run.accepted.id, [true]]); // prettier-ignore
    const two = await json('diff', short(run.demonstration.id), short(run.refused.id));
    assert.deepEqual([(two['left'] as { digest: string }).digest, two['decisions']], [run.demonstration.id, []]);
  },
);

const MISTAKES: readonly (readonly [Asked['kinds'], string, string | undefined, RegExp])[] = [
  [['checkpoint'], 'abc', undefined, /^"abc" is not a name: 8 to 64 hex characters are$/],
  [['checkpoint'], '00000000', undefined, /^nothing in this database begins with 00000000; /],
  [['trajectory'], run?.start.digest, undefined, /^[0-9a-f]{64} is a checkpoint; this asks about a trajectory$/],
  [['checkpoint'], run?.start.digest, '77', /^run '77' is not in this database; known: \d \(local\), /],
];

test('mistakes are told: no name, unknown, of another kind, no such run', { skip }, async () => {
  for (const [kinds, prefix, asked, message] of MISTAKES) {
    await assert.rejects(findSubject(pool, { prefix, run: asked, kinds }), { message });
  }
  const parent = await findSubject(pool, { prefix: run.parent.id, kinds: ['trajectory'] });
  await assert.rejects(diffEpisodes(pool, parent, null), {
    message: /^trajectory [0-9a-f]{12} has no parent to stand beside; its rewrites: [0-9a-f]{12}, [0-9a-f]{12}$/,
  });
});

test('a beginning of several names lists them; the former grammar is refused', { skip }, async () => {
  const shared = 'ab'.repeat(4);
  for (const [i, end] of ['1', '2'].entries()) {
    await database?.tamper(
      `insert into rsi.checkpoint (run_id, record_id, role, digest, weights_digest)
       select $2, -$3::int, 'policy', decode($1, 'hex'), decode($1, 'hex')`,
      [shared.padEnd(64, end), newer?.runId, i + 1],
    );
  }
  await assert.rejects(findSubject(pool, { prefix: shared, kinds: ['checkpoint'] }), {
    message:
      /^abababab is the beginning of 2 names in this database: checkpoint abababab11111111, checkpoint abababab22222222; give more of it$/,
  });
  const { code, stderr } = await rsi('up', '1', run.start.digest);
  assert.match(stderr, /^rsi: too many arguments for 'up'/);
  assert.equal(code, 2);
});

test('a run is asked for its funnel and its leaks', { skip }, async () => {
  const [funnel, leaks] = await Promise.all([json('funnel', String(older?.runId)), json('leaks', 'local')]);
  assert.deepEqual([funnel['run'], (funnel['rounds'] as unknown[]).length], [older?.runId, 1]);
  assert.deepEqual([leaks['run'], leaks['leaks']], [newer?.runId, []]);
});
