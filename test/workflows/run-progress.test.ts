/** What a run tells of itself, without a server: table, panel, names of search attributes, failures by boundary. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { atBoundary, FAILURE_TYPES } from '../../activities/failures.ts';
import { Failure, type FailureBoundary } from '../../contracts/failures.ts';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import { begun, noted, refuseLate } from '../../workflows/added-families.ts';
import { detailsOf, reported, startOfProgress } from '../../workflows/run-progress.ts';

const EVALUATION = { strict: 6, n: 16, partial: 0.5, heldOutStrict: 0, heldOutN: 0 };

test('reports of a generation come together in one row; a kind of stage that stands twice adds up', () => {
  let progress = startOfProgress('run');
  for (const report of [
    { kind: 'stage', generation: 1, stage: 's0-self-rewrite', workflowId: 'run/g1/s0-self-rewrite' },
    { kind: 'row', generation: 1, candidates: 16, accepted: 3 },
    { kind: 'row', generation: 1, candidates: 16, accepted: 5 },
    { kind: 'row', generation: 1, evaluation: EVALUATION },
    { kind: 'row', generation: 1, klToStart: 0.01234, promoted: false },
  ] as const) {
    progress = reported(progress, report);
  }
  assert.deepEqual(progress.rows, [
    { generation: 1, evaluation: EVALUATION, candidates: 32, accepted: 8, klToStart: 0.01234, promoted: false },
  ]);
  assert.match(detailsOf(progress), /\| 1 \| 6\/16 \(37\.5 %\) \| 0\.500 \| - \| 8\/32 \| 0\.0123 \| rolled back \|$/);
});

test('added families wait, join with a generation, and tell where they stood then', () => {
  const start = { ...startOfProgress('run'), generation: 1, generations: 2 };
  const waiting = { ...start, added: noted(start.added, ['tidy', 'report']) };
  assert.match(detailsOf(waiting), /\nAdded tasks: from the next generation on: tidy, report$/);
  const now = { ...waiting, generation: 2, added: begun(waiting.added, 2) };
  assert.deepEqual(now.added.pending, []);
  const known = reported(now, { kind: 'joined', families: [{ family: 'report', strict: 1, n: 8 }] });
  assert.match(
    detailsOf(known),
    /Added tasks: tidy since generation 2; report since generation 2 \(1\/8 strict before\)$/,
  );
  assert.doesNotMatch(detailsOf(start), /Added/);
  assert.throws(() => refuseLate(waiting, ['tidy']), { message: /'tidy' was added already, from generation 2 on/ });
  assert.throws(() => refuseLate(now, ['audit']), { message: /no generation comes after 2, the last planned/ });
  refuseLate(waiting, ['audit']);
});

test('what people wrote cannot break the panel', () => {
  const parked = reported(startOfProgress('run'), { kind: 'parked', reason: 'a | b <script> *x*' });
  assert.equal(parked.status, 'paused');
  assert.match(detailsOf(parked), /^\*\*paused\*\*: a \\\| b \\<script\\> \\\*x\\\*/);
});

test('the search attributes that workflows set are those that are registered', () => {
  const source = readFileSync(new URL('../../workflows/search-attributes.ts', import.meta.url), 'utf8');
  const set = [...source.matchAll(/defineSearchAttributeKey\('(\w+)', '(\w+)'\)/g)].map(([, name, type]) => [
    name,
    type,
  ]);
  const registered = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, type.toUpperCase()]);
  assert.deepEqual(set.sort(), registered.sort());
  for (const type of ['Int', 'Double']) {
    assert.ok(Object.values(SEARCH_ATTRIBUTES).filter((one) => one === type).length <= 3);
  }
});

test('a failure leaves with the type of its boundary, its line, and whether to try again', async () => {
  for (const boundary of Object.keys(FAILURE_TYPES) as FailureBoundary[]) {
    const failure = new Failure(boundary, 'what happened', { subject: 'x' });
    const thrown = await atBoundary('compute', () => Promise.reject(failure)).catch((error: unknown) => error);
    assert.ok(thrown instanceof ApplicationFailure);
    assert.deepEqual([thrown.type, thrown.message], [FAILURE_TYPES[boundary], 'what happened']);
    assert.equal(thrown.nonRetryable, !failure.retryable);
    assert.deepEqual(thrown.details, [failure.toRecord()]);
  }
  const other = await atBoundary('storage', () => Promise.reject(new Error('oops'))).catch((error: unknown) => error);
  assert.equal((other as ApplicationFailure).type, 'StorageUnavailable');
  const cancelled = new CancelledFailure('stop');
  await assert.rejects(() => atBoundary('storage', () => Promise.reject(cancelled)), cancelled);
});
