/**
 * The demo as a person runs it, very small: Ctrl-C while everything is being started and in mid run, gone on with, shown
 * again, reported on. Nothing of it may be left behind, and it must end like the same run in one process.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunReport } from '../../viewer/run-report.ts';
import { durableHome } from '../workflows/durable.ts';
import { runCli, scratch, type Ended } from './run-cli.ts';

const PRESET = {
  generations: 1,
  tasks: {
    ...{ families: ['tidy'], subGoalWeights: [0.7, 0.3], selection: 8, heldOut: 8, heldOutComposition: 0 },
    ...{ turns: 3, tokensPerTurn: 8, context: 112 },
  },
  model: { dModel: 16, layers: 1, heads: 2, kvHeads: 1, mlp: 24, lags: 2 },
  rollout: { batch: 64, sandboxWorkers: 1 },
  warmStart: { demonstrations: 64, rewriteDemonstrations: 8 },
  warmUpCritic: { iterations: 1, episodes: 8, probeEpisodes: 8, epochs: 1 },
  handoff: { episodes: 8, probeEpisodes: 8, epochs: 1 },
  selfRewrite: { episodes: 8, maxParents: 8, rewritesPerParent: 1 },
  policyRefine: { iterations: 1, episodes: 8 },
};
// A server that is shared knows the runs of former test runs.
const NAME = `micro-${process.pid}`;
writeFileSync(join(scratch, `${NAME}.json`), JSON.stringify(PRESET));

const home = durableHome();
const env = { RSI_HOME: home, DATABASE_URL: '', RSI_BLOBS: '' };
const DEMO = ['demo', '--preset', `${NAME}.json`, '--out', 'report', '--json', 'out.json'];
const headOf = ({ stdout }: Ended): string | undefined => /^Content head: ([0-9a-f]{64})$/m.exec(stdout)?.[1];

test('Ctrl-C at the start and in mid run; the same command goes on and ends like a run in one process', async (t) => {
  const early = await interrupted(/^Database: /m);
  if (early.stderr.includes('Temporal: there is no server')) return skip(t.skip.bind(t), early.stderr);
  assert.deepEqual([early.code, early.stderr], [130, 'stopped; the same command goes on\n'], early.stdout);
  assert.deepEqual(processesOf(home), []);

  const midway = await interrupted(/ critic-update /);
  if (midway.stderr.includes('Temporal: there is no server')) return skip(t.skip.bind(t), midway.stderr);
  assert.deepEqual([midway.code, midway.stderr], [130, 'stopped; the same command goes on\n'], midway.stdout);
  assert.deepEqual(processesOf(home), []);

  const [ended, bare] = await Promise.all([
    runCli(DEMO, { env }),
    runCli(['demo', '--local', '--preset', `${NAME}.json`, '--json', 'bare.json'], { env: { RSI_HOME: 'bare' } }),
  ]);
  assert.deepEqual([ended.code, ended.stderr, bare.code], [0, '', 0], ended.stdout);
  for (const line of [
    ...[/^backend {4}(native|wasm)/m, /^sandbox/m, /^seed {7}0$/m, /^budget/m, /^Database: /m, /^Temporal: /m],
    ...[/, which is open: going on with it$/m, /went over \d+ stored records/, /Movement of the held-out tasks/],
    ...[/held-out, greedy +\d\/8 .*\[.*\] +\d\/8/, /^Event head: [0-9a-f]{64} \(\d+ events\)$/m, /^the audit holds$/m],
  ]) {
    assert.match(ended.stdout, line);
  }
  assert.equal(headOf(ended), headOf(bare));
  assert.deepEqual(processesOf(home), []);
  sameNumbers(read('out.json'), read('bare.json'));
  const page = readFileSync(join(scratch, 'report', 'report.html'), 'utf8');
  assert.match(page, /^<!doctype html>.*<svg/s);
  assert.doesNotMatch(page, /\bsrc=|@import|url\(|<script|<link|<iframe/i);

  const again = await runCli(DEMO, { env });
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stdout, /^This run is finished;/m);
  assert.equal(headOf(again), headOf(ended));
  // Told from the database alone.
  const told = await runCli(['report', '1', '--json', 'told.json'], { env });
  assert.deepEqual([told.code, headOf(told)], [0, headOf(ended)], told.stderr);
  sameNumbers(read('told.json'), read('bare.json'));
  assert.deepEqual(processesOf(home), []);
});

/** Stopped as by Ctrl-C once its output says so. */
function interrupted(at: RegExp): Promise<Ended> {
  let sent = false;
  return runCli(DEMO, {
    env,
    watch: (stdout, child) => {
      if (sent || !at.test(stdout)) return;
      sent = true;
      child.kill('SIGINT');
    },
  });
}

/** Everything but circumstances: clocks, and where the run lies. */
function sameNumbers(one: RunReport, other: RunReport): void {
  const parts = ({ run, time: _, ...rest }: RunReport) => ({ ...rest, preset: run.preset, digest: run.configDigest });
  assert.deepEqual(parts(one), parts(other));
}

function read(file: string): RunReport {
  return JSON.parse(readFileSync(join(scratch, file), 'utf8')) as RunReport;
}

/** Command lines of processes that work for a home folder: servers name it, workers have it in their environment. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    const [command = '', environment = ''] = ['cmdline', 'environ'].map((file) => text(join('/proc', pid, file)));
    return command !== '' && `${command}${environment}`.includes(folder) ? [command.replaceAll('\0', ' ')] : [];
  });
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // Gone meanwhile.
  }
}

function skip(how: (reason: string) => void, why: string): void {
  console.error(`SKIPPED: the durable demo is not tested: ${why.trim()}`);
  how('NO TEMPORAL SERVER CAN BE HAD HERE');
}
