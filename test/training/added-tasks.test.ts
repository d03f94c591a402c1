/** Families that join a run on the way: measured before they are trained on, drawn from then on, told again the same. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { StoredRecord } from '../../contracts/run-store.ts';
import { splitOf } from '../../tasks/split.ts';
import { addedFamilies, addedTasksPlace, trainedFamilies } from '../../training/added-tasks.ts';
import { checkAddedFamilies } from '../../training/check-added-families.ts';
import { addedHeldOutTasks } from '../../training/task-sets.ts';
import { groupsIn, recordsIn } from './stored-groups.ts';
import { copyOf, tinyConfig, tinyRun, warmFolder, type TinyRun } from './tiny-run.ts';

const config = tinyConfig({
  generations: 2,
  tasks: { families: ['tidy'], heldOut: 8 },
  selfRewrite: { episodes: 16, maxParents: 16, rewritesPerParent: 1 },
  policyRefine: { iterations: 1, episodes: 16 },
});

function joining(generation: number, families: readonly string[]): StoredRecord {
  const content = { kind: 'added-tasks', families };
  return { place: addedTasksPlace(generation), content, uses: [], blobs: [], seconds: 0, elapsed: 0 };
}

/** As a worker that took an update leaves it: the run is told up to there, then a family joins. */
async function withAdded(folder: string, generation: number, families: readonly string[]): Promise<TinyRun> {
  const records = [...recordsIn(folder), joining(generation, families)];
  writeFileSync(join(folder, 'log.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return tinyRun(config, { folder });
}

let plain: TinyRun;
let added: TinyRun;

before(async () => {
  plain = await tinyRun({ ...config, generations: 1 }, { folder: await warmFolder() });
  added = await withAdded(copyOf(plain.folder), 2, ['notes']);
});

const familiesOf = (run: TinyRun, generation: number, step: string): string[] =>
  groupsIn(run.folder)
    .filter(({ place }) => place.generation === generation && place.step === step)
    .flatMap(({ tasks }) => tasks.map(({ family }) => family));

test('what a family joins with is measured before anything of the generation is done, and after it again', () => {
  const [first, second] = added.result.generations;
  assert.deepEqual([first?.admitted, first?.evaluation.added], [null, []]);
  assert.deepEqual(second?.admitted?.families, ['notes']);
  const atJoining = second?.admitted?.outcomes ?? [];
  const after = second?.evaluation.added ?? [];
  assert.equal(atJoining.length, 8);
  assert.ok(atJoining.every(({ family }) => family === 'notes'));
  assert.deepEqual(after.map(({ taskId }) => taskId), atJoining.map(({ taskId }) => taskId)); // prettier-ignore
  const order = added.records.filter(({ place }) => place.generation === 2).map(({ place }) => place);
  assert.deepEqual(order.slice(0, 3).map(({ step }) => step), ['added-tasks', 'evaluate-added', 'outcomes-added']); // prettier-ignore
  assert.ok(order.slice(0, 3).every(({ stageIndex }) => stageIndex === -1));
  const played = added.records.find(({ place }) => place.step === 'outcomes-added' && place.stageIndex === -1);
  // The policy that was promoted: of generation 1 or of the start.
  const promoted = added.result.generations[0]?.promotion.promoted
    ? first?.evaluation.policy
    : added.result.start.policy;
  assert.ok(played?.uses.some(({ role, digest }) => role === 'policy' && digest === promoted?.digest));
});

test('train tasks are of the family from its generation on and not before; the other sets stay as they are', () => {
  for (const step of ['rollout', 'handoff-rollout', 'handoff-probe']) {
    assert.deepEqual([...new Set(familiesOf(added, 1, step))], ['tidy'], step);
    const drawn = familiesOf(added, 2, step);
    const share = drawn.filter((family) => family === 'notes').length / drawn.length;
    assert.ok(share > 0.4 && share < 0.6, `${step}: ${share}`);
  }
  assert.ok(familiesOf(added, 2, 'drift-rollout').every((family) => family === 'tidy'));
  for (const set of ['selection', 'held-out', 'composition'] as const) {
    const ids = added.result.generations.map(({ evaluation }) => evaluation.outcomes[set].map(({ taskId }) => taskId));
    assert.deepEqual(ids[1], ids[0], set);
  }
  // Its map begins as the identity and is fitted then like the others.
  assert.deepEqual(Object.keys(added.result.generations[0]?.calibration.maps ?? {}), ['tidy']);
  assert.deepEqual(Object.keys(added.result.generations[1]?.calibration.maps ?? {}).sort(), ['notes', 'tidy']);
});

test('nothing that was measured was learned from', () => {
  const groups = groupsIn(added.folder);
  const measured = groups.filter(({ place }) => place.step === 'evaluate-added').flatMap(({ tasks }) => tasks);
  assert.equal(new Set(measured.map(({ id }) => id)).size, 8);
  assert.ok(measured.every(({ split, instruction }) => split === 'held-out' && splitOf(instruction) === 'held-out'));
  const texts = new Set(measured.map(({ instruction }) => instruction));
  const others = groups.filter(({ place }) => !place.step.startsWith('evaluate-')).flatMap(({ tasks }) => tasks);
  assert.deepEqual(others.filter(({ instruction }) => texts.has(instruction)), []); // prettier-ignore
});

test('told again after a kill at any piece of the joining, the run ends with the same head', async () => {
  const log = added.records;
  const first = log.findIndex(({ place }) => place.step === 'added-tasks');
  const last = log.findIndex(
    ({ place }) => place.generation === 2 && place.step === 'outcomes-added' && place.stageIndex > 0,
  );
  for (const kept of [first + 1, first + 2, first + 3, last, log.length]) {
    const folder = copyOf(added.folder);
    const lines = log.slice(0, kept).map((record) => `${JSON.stringify(record)}\n`);
    writeFileSync(join(folder, 'log.jsonl'), lines.join(''));
    const { result, records } = await tinyRun(config, { folder });
    assert.equal(result.contentHead, added.result.contentHead, `after ${kept} of ${log.length}`);
    assert.equal(records.length, log.length);
    if (kept === log.length) assert.deepEqual(result, added.result);
  }
});

test('a run that nobody adds to stores nothing of it', () => {
  assert.deepEqual(plain.records.filter(({ place }) => place.step.includes('added')), []); // prettier-ignore
  assert.deepEqual(plain.result.generations.map(({ admitted }) => admitted), [null]); // prettier-ignore
});

test('what is trained on is read from the records, up to a generation', () => {
  const records = [joining(4, ['report']), joining(2, ['notes', 'audit'])];
  assert.deepEqual(addedFamilies(records, 1), []);
  assert.deepEqual(addedFamilies(records, 3), ['notes', 'audit']);
  assert.deepEqual(trainedFamilies(config, records), ['tidy', 'notes', 'audit', 'report']);
});

test('a family that joins later changes no task of an earlier one, nor does the seed of the run', () => {
  const ids = (families: readonly string[], seed = 0): string[] =>
    addedHeldOutTasks(tinyConfig({ seed, tasks: { families: ['notes', 'config'], heldOut: 60 } }), families).map(
      ({ id }) => id,
    );
  const both = ids(['tidy', 'release']);
  assert.equal(both.length, 60);
  assert.equal(new Set(both).size, 60);
  assert.deepEqual(both.slice(0, 30), ids(['tidy']));
  assert.deepEqual(ids(['tidy'], 5), ids(['tidy']));
});

test('what cannot join is refused in one line with what could', () => {
  const trained = ['notes', 'config', 'tidy'];
  const base = tinyConfig({ tasks: { families: ['notes', 'config'], subGoalWeights: [1] } });
  const cases: readonly (readonly [readonly string[], RegExp, object?])[] = [
    [['reprot'], /^addTasks: family 'reprot' is unknown; did you mean 'report'\? known: audit, release, report, survey, archive, install, harden$/],
    [['tidy'], /^addTasks: family 'tidy' is trained on already; to be added: audit, release, report, survey, archive, install, harden$/],
    [['config'], /^addTasks: family 'config' is trained on already;/],
    [['migrate'], /^addTasks: family 'migrate' is what the run never trains on; to be added: audit, release, report, survey, archive, install, harden$/],
    [['audit', 'audit'], /^addTasks: family 'audit' stands twice$/],
    [['report'], /^addTasks: family 'report' is what the run never trains on; to be added: audit, release, survey, archive, install, harden$/, { composition: 'report' }],
    [['migrate'], /^addTasks: family 'migrate' exists only held out; to be added: audit, release, survey, archive, install, harden$/, { composition: 'report' }],
  ]; // prettier-ignore
  for (const [names, message, tasks = {}] of cases) {
    const given = { ...base, tasks: { ...base.tasks, ...tasks } };
    assert.throws(() => checkAddedFamilies(given, trained, names), { boundary: 'config', message });
  }
  const all = [...trained, 'audit', 'release', 'report', 'survey', 'archive', 'install', 'harden'];
  assert.throws(() => checkAddedFamilies(base, all, ['audit']), { message: /already; no family is left to be added$/ });
  checkAddedFamilies(base, trained, ['audit', 'report']);
  // Tasks of five sub-goals, be it for training alone, are beyond the families of the first preset.
  const long = { ...base, tasks: { ...base.tasks, trainSubGoalWeights: [1, 0, 0, 0, 1] } };
  const message = "addTasks: family 'audit' can host at most 4 sub-goals; the run asks for weights [1,0,0,0,1]";
  assert.throws(() => checkAddedFamilies(long, trained, ['audit']), { boundary: 'config', message });
  checkAddedFamilies(long, trained, ['survey']);
});
