/** `rsi compare` of a bare run's folder and of the same run in Postgres; of names that are none. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonicalText } from '../../contracts/canonical-text.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import { digestOf } from '../../contracts/digest.ts';
import { openFolderStore } from '../../lineage/folder-store.ts';
import { openPostgresStore } from '../../lineage/postgres/store.ts';
import type { RunComparison } from '../../viewer/compare/compare-runs.ts';
import { startTestServer } from '../lineage-postgres/database.ts';
import { at, playTinyRun, record } from '../lineage-postgres/tiny-run.ts';
import { runCli, scratch } from './run-cli.ts';

const server = await startTestServer('compare.test.ts');
const skip = server === null ? 'no PostgreSQL could be started' : false;
const database = server === null ? null : await server.database();
const env = { DATABASE_URL: database?.url, RSI_BLOBS: database?.blobs };

async function bareRun(name: string, config: RunConfig): Promise<string> {
  const folder = join(scratch, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ format: 1, backend: 'wasm', config }));
  const store = await openFolderStore(folder);
  await playTinyRun(store);
  await store.close();
  return folder;
}

async function durableRun(workflowId: string, config: RunConfig): Promise<void> {
  if (database === null) return;
  const run = { workflowId, firstExecutionRunId: 'first', configDigest: digestOf(config), seed: config.seed };
  const store = await openPostgresStore({ url: database.url, blobs: database.blobs, run });
  await store.putBlob(new TextEncoder().encode(canonicalText(config)));
  await playTinyRun(store);
  await store.write(record(at(2, 0, 'stop-check'), { kind: 'stop-check', end: null }));
  await store.close();
}

test('a folder beside a durable run: what both hold is equal, and they part where one ends', { skip }, async () => {
  await bareRun('bare', parseRunConfig({ generations: 2 }));
  await durableRun('run-x', parseRunConfig({ generations: 3 }));
  const { code, stdout, stderr } = await runCli(['compare', 'bare', 'run-x', '--json'], { env });
  assert.deepEqual([code, stderr], [0, '']);
  const { config, equal, records, right, heldOut } = JSON.parse(stdout) as RunComparison;
  assert.deepEqual(config, [{ key: 'generations', left: 2, right: 3 }]);
  assert.deepEqual([equal, records.different, records.onlyLeft, records.onlyRight, right.name], [false, 0, 0, 1, '1 (run-x)']); // prettier-ignore
  assert.deepEqual(records.first, { place: 'g002/s01/stop-check/000-000', kind: 'stop-check', what: 'only right', key: null }); // prettier-ignore
  assert.equal(heldOut[0]?.paired?.n, 1);
  const text = await runCli(['compare', '1', '1'], { env });
  assert.match(text.stdout, /The configurations are equal\.\n\nThe contents are equal: /);
});

test('a run that is nowhere is one line, with and without a database; no database is made for the question', async () => {
  const RSI_HOME = join(scratch, 'empty');
  const { code, stderr } = await runCli(['compare', 'nothing', 'nowhere'], { env: { RSI_HOME, DATABASE_URL: '' } });
  assert.deepEqual([code, stderr], [2, "rsi: run 'nothing' does not exist; there are none yet\n"]);
  const audit = await runCli(['audit', '1'], { env: { RSI_HOME, DATABASE_URL: '' } });
  assert.match(
    audit.stderr,
    /^rsi: there is no lineage in .*empty yet; `rsi up` begins one, DATABASE_URL names another\n$/,
  );
  if (database === null) return;
  const durable = await runCli(['compare', 'run-x', 'nowhere'], { env });
  assert.match(durable.stderr, /^rsi: run 'nowhere' is not in this database; known: 1 \(run-x\)\n$/);
});
