/** Two runs beside each other: where they part, and what may be said of their held-out tasks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { Content, StoredRecord } from '../../contracts/run-store.ts';
import type { TaskState } from '../../rl/movement-table.ts';
import { compareRuns, type RunComparison } from '../../viewer/compare/compare-runs.ts';
import { compareText } from '../../viewer/compare/compare-text.ts';
import { group, outcomes } from './a-run-result.ts';

const STATES: readonly (TaskState | null)[] = ['strict', 'strict', 'strict', 'partial', 'none', null];
const BETTER: readonly (TaskState | null)[] = ['strict', 'strict', 'partial', 'strict', 'strict', 'strict'];

function record(step: string, content: Content, generation = 0, elapsed = 1): StoredRecord {
  const place = { generation, stageIndex: 0, step, iteration: 0, group: 0 };
  return { place, content, uses: [], blobs: [], seconds: 0, elapsed };
}

const evaluated = (states: readonly (TaskState | null)[], set = 'held-out', generation = 1): StoredRecord => {
  const content = { kind: 'evaluation-outcomes', set, outcomes: outcomes(states) };
  return record(`outcomes-${set}`, content, generation, 60);
};
const rollout = (strict = 1): StoredRecord => record('rollout', group(0, 0, 'rollout', 0, strict));

function compare(left: readonly StoredRecord[], right: readonly StoredRecord[], seed = 0): RunComparison {
  return compareRuns(
    { name: 'a', config: parseRunConfig({}), records: left },
    { name: 'b', config: parseRunConfig({ seed }), records: right },
  );
}

test('clocks do not count: runs of one content are equal, however long they took', () => {
  const [one, other] = [rollout(), { ...rollout(), seconds: 9, elapsed: 99 }];
  const comparison = compare([one], [other]);
  assert.deepEqual([comparison.equal, comparison.records.first, comparison.config], [true, null, []]);
  assert.deepEqual([comparison.left.seconds, comparison.right.seconds], [1, 99]);
  assert.match(compareText(comparison), /The contents are equal: 1 records, one content head\./);
});

test('they part at the first record, as it was stored, that differs; the value is named', () => {
  const first = record('zeta', { kind: 'stop-check', end: null } as Content);
  const left = [first, rollout(1), record('alpha', { kind: 'drift', kl: 1 } as Content)];
  const right = [first, rollout(2), record('alpha', { kind: 'drift', kl: 2 } as Content)];
  const { records, equal } = compare(left, right);
  const { same, different } = records;
  assert.deepEqual([equal, same, different], [false, 1, 2]);
  // Not alpha, which comes first by name.
  assert.deepEqual(records.first, { place: 'g000/s01/rollout/000-000', kind: 'group', what: 'content', key: 'summary.strict' }); // prettier-ignore
  assert.match(compareText(compare(left, right)), /They part at g000\/s01\/rollout\/000-000 \(group\): content differs, first at summary\.strict\./); // prettier-ignore
});

test('what only one of them has, uses and files are differences too', () => {
  const one = rollout();
  const what = (left: StoredRecord[], right: StoredRecord[]): string | undefined => compare(left, right).records.first?.what; // prettier-ignore
  assert.equal(what([one], []), 'only left');
  assert.equal(what([], [one]), 'only right');
  assert.equal(what([one], [{ ...one, uses: [{ role: 'policy', digest: 'x' }] }]), 'uses');
  assert.equal(what([one], [{ ...one, blobs: ['x'] }]), 'files');
});

test('held-out tasks in pairs: without a verdict on both sides a task is in no pair; selection is left out', () => {
  const { heldOut } = compare(
    [evaluated(STATES), evaluated(STATES, 'selection'), evaluated([], 'composition')],
    [evaluated(BETTER), evaluated(BETTER, 'selection'), evaluated(BETTER, 'held-out', 2)],
  );
  assert.deepEqual(heldOut.map(({ generation, set }) => [generation, set]), [[1, 'held-out'], [2, 'held-out']]); // prettier-ignore
  const [row, only] = heldOut;
  assert.deepEqual([row?.left?.strict, row?.left?.n, row?.right?.strict, row?.right?.n], [3, 5, 5, 6]);
  // 2 gained, 1 lost of 5: two-sided p = 1.
  assert.deepEqual(row?.paired, { n: 5, gained: 2, lost: 1, net: 1, p: 1 });
  assert.deepEqual([only?.left, only?.paired], [null, null]);
});

test('the table shows intervals, the discordant pairs and p; other tasks make no pairs', () => {
  const none = Array.from({ length: 12 }, (): TaskState => 'none');
  const all = Array.from({ length: 12 }, (): TaskState => 'strict');
  const text = compareText(compare([evaluated(none)], [evaluated(all)], 7));
  assert.match(text, /seed +0 +7\n/);
  assert.match(text, /Configuration keys that differ:\n {2}seed +0 +7\n/);
  assert.match(text, /1 +held-out +0\/12 \(0\.0–24\.2 %\) +12\/12 \(75\.8–100\.0 %\) +12 +12 +0 +\+12 +0\.00049/);
  const other = outcomes(all).map((outcome) => ({ ...outcome, taskId: `other ${outcome.taskId}` }));
  const moved = record('outcomes-held-out', { kind: 'evaluation-outcomes', set: 'held-out', outcomes: other } as Content, 1); // prettier-ignore
  assert.equal(compare([evaluated(none)], [moved]).heldOut[0]?.paired, null);
});

test('work is counted over all groups', () => {
  const { left } = compare([rollout(), evaluated(STATES)], []);
  assert.deepEqual([left.episodes, left.actionTokens, left.seconds, left.records], [4, 48, 60, 2]);
});
