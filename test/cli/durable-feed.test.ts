/** What the live view of a durable run shows for what is seen of it from outside; no server, no database. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonicalText } from '../../contracts/canonical-text.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { openDurableFeed } from '../../cli/progress/durable-feed.ts';
import { openBlobFolder } from '../../lineage/blobs/blob-folder.ts';
import type { Queryable } from '../../lineage/postgres/connection.ts';
import { startOfProgress, type RunProgress } from '../../workflows/run-progress.ts';
import { group } from '../viewer/a-run-result.ts';
import { scratch } from './run-cli.ts';

const CONFIG = parseRunConfig({ generations: 2, stages: ['self-rewrite', 'policy-refine'] });
const blobs = openBlobFolder(join(scratch, 'blobs'));
const configDigest = await blobs.put(new TextEncoder().encode(canonicalText(CONFIG)));

interface Row {
  readonly seq: number;
  readonly hash: string;
  readonly body: string | null;
  readonly age: number | null;
}

function record(seq: number, step: string, generation: number, elapsed: number): Row {
  const content = group(generation, 0, step, 0);
  const body = { place: content.place, content, uses: [], blobs: [], seconds: 1, elapsed };
  return { seq, hash: 'ab'.repeat(32), body: JSON.stringify(body), age: 5 };
}

const CLAIMED: RunProgress = { ...startOfProgress('run-x'), status: 'running', runId: 1, stage: 'warm-start' };

/** A feed over rows that may grow; what it writes comes line by line. */
function feedOf(rows: readonly Row[]) {
  const lines: string[] = [];
  const run = { id: 1, workflowId: 'run-x', firstExecutionRunId: 'f', ordinal: 1, seed: 0, configDigest };
  let fails = false;
  const query = (text: string, [, after]: readonly number[]): Promise<{ rows: readonly unknown[] }> => {
    if (fails) return Promise.reject(new Error('ECONNREFUSED'));
    const found = text.includes('rsi.event') ? rows.filter(({ seq }) => seq > (after ?? 0)) : [run];
    return Promise.resolve({ rows: found });
  };
  const output = { write: (text: string | Uint8Array) => lines.push(String(text).trimEnd()) > 0, isTTY: false };
  const feed = openDurableFeed({ db: { query } as unknown as Queryable, blobs: blobs.folder, output });
  return { feed, lines, setFails: (value: boolean) => (fails = value) };
}

test('what was stored before is gone over, what comes then is told, with the time of former work', async () => {
  const rows: Row[] = [{ seq: 1, hash: 'ab'.repeat(32), body: null, age: null }, record(2, 'probe', 0, 60)];
  const { feed, lines } = feedOf(rows);
  await feed.take({ progress: { ...CLAIMED, runId: null }, work: null });
  assert.deepEqual(lines, []);
  await feed.take({ progress: CLAIMED, work: null });
  rows.push(record(3, 'rollout', 1, 70));
  const progress = { ...CLAIMED, generation: 1, stage: 's0-self-rewrite', workflowId: 'run-x/g1/s0-self-rewrite' };
  await feed.take({ progress, work: null });
  await feed.take({ progress, work: null });
  assert.equal(lines[0], 'went over 1 stored records; working on from there');
  assert.match(lines[1] ?? '', /^ +1:00 {2}generation 1\/2 · self-rewrite \(stage 1\/2\) · rollout 0\.0 · 4 episodes/);
  assert.equal(lines.length, 2);
});

test('a generation that is counted before its first stage does not end its stages', async () => {
  const rows: Row[] = [record(1, 'evaluate-selection', 0, 60)];
  const { feed, lines } = feedOf(rows);
  // As `begins` tells it: the stage is still that of the generation before.
  const progress = { ...CLAIMED, generation: 1, stage: 'evaluate', workflowId: 'run-x/g0/evaluate' };
  await feed.take({ progress, work: null });
  rows.push(record(2, 'evaluate-held-out', 0, 61));
  await feed.take({ progress, work: null });
  assert.match(lines.at(-1) ?? '', /generation 0\/2 · evaluate · /);
});

test('a pause, nobody at work and a database that is away are said, each once', async () => {
  const { feed, lines, setFails } = feedOf([record(1, 'probe', 0, 60)]);
  await feed.take({ progress: CLAIMED, work: null });
  const paused: RunProgress = { ...CLAIMED, status: 'paused', pausedBecause: 'lunch' };
  for (const progress of [paused, paused, CLAIMED, null, CLAIMED]) await feed.take({ progress, work: null });
  setFails(true);
  await feed.take({ progress: CLAIMED, work: null });
  assert.deepEqual(lines.slice(0, 4), [
    'paused: lunch; `rsi resume run-x` goes on',
    'going on',
    'no worker answers; waiting for one',
    'going on',
  ]);
  assert.match(lines[4] ?? '', /^the database does not answer; waiting for it \(.*ECONNREFUSED\)$/);
  assert.equal(lines.length, 5);
});
