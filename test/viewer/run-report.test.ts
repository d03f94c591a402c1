import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlReport } from '../../viewer/html-report.ts';
import { runReport } from '../../viewer/run-report.ts';
import { timeReport } from '../../viewer/report/time-shares.ts';
import { timeSection } from '../../viewer/sections/time.ts';
import { textReport } from '../../viewer/text-report.ts';
import { anEmptyResult, aRunResult, extras, record, withAddedTasks } from './a-run-result.ts';

test('movement is counted from one promoted state to the next, and from start to end', () => {
  const { movement } = runReport(aRunResult(), extras());
  const [first, second] = movement.perGeneration;
  assert.deepEqual([first?.from, first?.to, first?.gained, first?.lost, first?.net], [0, 1, 2, 0, 2]);
  assert.deepEqual([second?.from, second?.to, second?.lost, second?.noVerdict, second?.promoted], [1, 2, 2, 1, false]);
  assert.equal(first?.counts.none.strict, 1);
  assert.equal(first?.counts.partial.strict, 1);
  // The second generation was rolled back: the end is the first.
  assert.deepEqual([movement.total.from, movement.total.to, movement.total.net], [0, 1, 2]);
});

test('headlines compare the start with the promoted end; sets without tasks have no interval', () => {
  const { headlines } = runReport(aRunResult(), extras());
  const greedy = headlines.find(({ set }) => set === 'held-out-greedy');
  assert.deepEqual([greedy?.before.strict, greedy?.after.strict, greedy?.after.n], [1, 3, 4]);
  assert.ok(greedy !== undefined && greedy.after.interval !== null);
  // One of the three was strict before: its way there is compared with itself, that of the others with nothing.
  assert.equal(greedy.solvedAtBothEnds.tasks, 1);
  assert.deepEqual([greedy.solvedAtBothEnds.before.n, greedy.solvedAtBothEnds.after.strict], [1, 1]);
  const unseen = headlines.find(({ set }) => set === 'composition');
  assert.deepEqual([unseen?.solvedAtBothEnds.tasks, unseen?.solvedAtBothEnds.before.turns], [0, null]);
  assert.deepEqual([unseen?.before.n, unseen?.before.interval, unseen?.moves.p], [0, null, 1]);
});

test('training batches keep their order and pool the groups of a batch', () => {
  const { training } = runReport(aRunResult(1), extras());
  assert.deepEqual(
    training.map(({ generation, stage, step, iteration }) => [generation, stage, step, iteration]),
    [
      [0, 'warm-up-critic', 'rollout', 0],
      [1, 'self-rewrite', 'rollout', 0],
      [1, 'policy-refine', 'handoff-rollout', 0],
      [1, 'policy-refine', 'rollout', 0],
      [1, 'policy-refine', 'rollout', 1],
    ],
  );
  assert.deepEqual([training[0]?.tokensPerTurn, training[0]?.turns, training[0]?.endedAtLimit], [4, 3, 0.25]);
});

test('deltas of accepted polishes are means; without any they are null', () => {
  const { rewrites } = runReport(aRunResult(), extras());
  assert.deepEqual([rewrites[0]?.turnDelta, rewrites[0]?.tokenDelta], [-1.5, -4]);
  assert.deepEqual([rewrites[1]?.turnDelta, rewrites[1]?.loss], [null, null]);
});

test('overlapping work shares its time, gaps are other, and the shares add up', () => {
  const records = [record('imitation', 0, 10), record('demonstrations', 5, 10), record('rollout', 12, 20, 1)];
  const { time } = runReport(aRunResult(), extras(records));
  assert.deepEqual(time.byKind, {
    ...{ demonstrations: 2.5, sampling: 8, updates: 7.5, evaluation: 0, storage: 0, other: 2 },
  });
  assert.deepEqual(time.notMeasured, ['storage']);
  assert.equal(
    Object.values(time.byKind).reduce((sum, seconds) => sum + seconds, 0),
    time.total,
  );
});

test('storage comes first in what lies between two records; sandboxes are a part of what was played', () => {
  const records = [
    { ...record('start-model', 0, 4), storage: 1 },
    // Of its 8 seconds 2 in storage; two samplers played 10 seconds together, 4 of them in their sandboxes.
    { ...record('rollout', 4, 12, 1), storage: 2, played: { seconds: 10, sandbox: 4 } },
    // Nothing was under way in between: a write and a pause.
    { ...record('evaluate-held-out', 16, 20, 1), storage: 2, played: { seconds: 4, sandbox: 5 } },
  ];
  const { time } = runReport(aRunResult(), extras(records));
  assert.deepEqual(time.byKind, {
    ...{ demonstrations: 0, updates: 3, sampling: 6, evaluation: 3, storage: 5, other: 3 },
  });
  // More than one thread beside one player: all of it, not more.
  assert.deepEqual([time.sandbox.updates, time.sandbox.evaluation], [0, 3]);
  assert.ok(Math.abs(time.sandbox.sampling - 2.4) < 1e-9);
  assert.deepEqual(time.byGeneration.map(({ byKind }) => byKind.storage), [1, 4]); // prettier-ignore
  assert.deepEqual(time.notMeasured, []);
  const page = htmlReport(runReport(aRunResult(), extras(records)));
  assert.match(
    page,
    /<th scope="row"\s*>sampling[^<]*<\/th>\s*<td>0:06<\/td>\s*<td>30\.0 %<\/td>\s*<td>0:02<\/td>\s*<td>40\.0 %</,
  );
  assert.doesNotMatch(page, /Not all records/);
});

test('a run that was stored before there were such clocks says so', () => {
  const report = runReport(aRunResult(), extras());
  const time = timeReport([{ ...record('rollout', 0, 4), content: { kind: 'group' } }]);
  assert.deepEqual(time.notMeasured, ['sandbox', 'storage']);
  const { text } = timeSection({ ...report, time }).body;
  assert.match(text, /Not all records of this run tell what went by in sandbox and storage/);
  // What is not known is not 0.
  assert.match(text, /storage \(waiting[^<]*<\/th>\s*<td\s*>–<\/td>/);
});

test('only keys that differ from their defaults are listed as changed', () => {
  const { changedKeys } = runReport(aRunResult(), extras());
  assert.deepEqual(changedKeys.map(({ key }) => key).sort(), ['generations', 'seed', 'stages']);
});

test('the report survives JSON unchanged', () => {
  const report = runReport(aRunResult(), extras([record('rollout', 0, 1)]));
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
});

test('the terminal shows the movement table first and says what was promoted and why it ended', () => {
  const text = textReport(runReport(aRunResult(), extras()), '/runs/report.html');
  assert.match(text, /^Movement of the held-out tasks/);
  assert.match(text, /generation 1 → generation 2 \(not promoted\)/);
  assert.match(text, /held-out, greedy +1\/4 +25\.0 % +\[4\.6–69\.9 %\] +3\/4/);
  assert.match(text, /Ended: all generations were run \(2 of 2\); promoted: generation 1;/);
  assert.match(text, /Report: \/runs\/report\.html\nContent head: c0ffee/);
});

test('a durable run is named by its row, its workflow id and both heads', () => {
  const durable = {
    ...{ runId: 3, workflowId: 'run-demo-seed7', ordinal: 2, events: 1234, eventHead: 'beef'.repeat(16) },
    page: 'http://127.0.0.1:8233/namespaces/default/workflows/run-demo-seed7',
  };
  const backend = { name: 'native', library: 'libtensorflow', version: '2.21.0', details: null };
  const report = runReport(aRunResult(), { ...extras(), folder: null, durable, backend });
  assert.match(textReport(report, null), /\nContent head: c0ffee\w+\nEvent head: (beef){16} \(1234 events\)$/);
  const page = htmlReport(report);
  assert.match(page, /3 of the lineage database: run-demo-seed7, number 2 of that name/);
  assert.match(page, /<a href="http:\/\/127\.0\.0\.1:8233\/[^"]+run-demo-seed7">/);
  assert.match(page, /native: libtensorflow 2\.21\.0</);
  assert.match(htmlReport(runReport(aRunResult(), extras())), /not recorded/);
});

test('nothing measured is said as such, not as zero', () => {
  const report = runReport(anEmptyResult(), extras());
  assert.deepEqual([report.movement.total.gained, report.movement.total.p], [0, 1]);
  assert.match(textReport(report, null), /held-out, greedy +0\/0 +– +\[–\]/);
  assert.equal(report.critic[0]?.explainedVariance, null);
});

test('added families: before they joined and after each generation since; a run without them says nothing', () => {
  const { addedFamilies } = runReport(withAddedTasks(), extras());
  const [one] = addedFamilies ?? [];
  assert.deepEqual([addedFamilies?.length, one?.family, one?.generation], [1, 'report', 2]);
  assert.deepEqual([one?.atJoining.strict, one?.atJoining.n, one?.atJoining.noVerdict], [1, 3, 1]);
  assert.deepEqual(one?.since.map(({ generation, promoted, rates }) => [generation, promoted, rates.strict]), [[2, false, 2]]); // prettier-ignore
  const text = textReport(runReport(withAddedTasks(), extras()), null);
  assert.match(
    text,
    /\n {2}report: 1\/3 \[6\.1–79\.2 %\] before generation 2; then 2\/3 \[20\.8–93\.9 %\] \(not promoted\)\n/,
  );
  assert.ok(!('addedFamilies' in runReport(aRunResult(), extras())));
  assert.doesNotMatch(textReport(runReport(aRunResult(), extras()), null), /Added tasks/);
});
