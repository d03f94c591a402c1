/** One real run, very small: stopped by Ctrl-C, gone on with, shown again, reported on, its folder guarded. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunReport } from '../../viewer/run-report.ts';
import { runCli, scratch } from './run-cli.ts';

const PRESET = {
  generations: 1,
  stages: ['self-rewrite', 'policy-refine'],
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
writeFileSync(join(scratch, 'micro.json'), JSON.stringify(PRESET));
const DEMO = ['demo', '--local', '--preset', 'micro.json', '--out', 'run'];
const head = (stdout: string): string | undefined => /Content head: ([0-9a-f]{64})/.exec(stdout)?.[1];

test('Ctrl-C stops at the next step; the same command goes on to the end and writes its reports', async () => {
  let sent = false;
  const stopped = await runCli(DEMO, {
    watch: (stdout, child) => {
      if (sent || !/critic-update/.test(stdout)) return;
      sent = true;
      child.kill('SIGINT');
    },
  });
  assert.deepEqual([stopped.code, stopped.stderr], [130, 'stopped; the same command goes on\n']);
  assert.equal(existsSync(join(scratch, 'run', 'lock')), false);
  // As a kill in the middle of a line would leave it.
  appendFileSync(join(scratch, 'run', 'log.jsonl'), '{"place":{"generation":9');

  const { code, stdout, stderr } = await runCli([...DEMO, '--json', 'out.json']);
  assert.deepEqual([code, stderr], [0, '']);
  for (const choice of [
    'backend',
    'sandbox',
    'tokenizer',
    'preset     micro',
    'seed       0',
    'budget',
    'folder     run',
  ]) {
    assert.match(stdout, new RegExp(`^${choice}`, 'm'));
  }
  assert.match(stdout, /Going on from \d+ stored records/);
  assert.match(stdout, /went over \d+ stored records/);
  assert.match(stdout, /Movement of the held-out tasks/);
  const report = JSON.parse(readFileSync(join(scratch, 'out.json'), 'utf8')) as RunReport;
  assert.equal(report.schema, 'terminal-rsi/run-report/4');
  assert.deepEqual([report.end.generations, report.run.contentHead], [1, head(stdout)]);
  assert.match(readFileSync(join(scratch, 'run', 'report.html'), 'utf8'), /^<!doctype html>/);
});

test('a finished run is shown again at once; report tells it from its records alone', async () => {
  const again = await runCli(DEMO);
  assert.equal(again.code, 0);
  assert.match(again.stdout, /This run is finished/);
  writeFileSync(join(scratch, 'run', 'report.json'), 'torn');
  const told = await runCli(['report', 'run', '--out', 'page.html']);
  assert.deepEqual([told.code, head(told.stdout)], [0, head(again.stdout)]);
  assert.ok(existsSync(join(scratch, 'page.html')));
});

test('another configuration does not mix into the folder', async () => {
  const { code, stderr } = await runCli([...DEMO, '--seed', '3']);
  assert.match(stderr, /^rsi: run folder run belongs to another configuration \(seed was 0, now 3\); use --fresh or /);
  assert.equal(code, 2);
});

test('a folder in use by another process is refused and stays where it is', async () => {
  writeFileSync(join(scratch, 'run', 'lock'), String(process.pid));
  const { code, stderr } = await runCli([...DEMO, '--fresh']);
  assert.match(stderr, new RegExp(`^rsi: run folder run is in use by process ${process.pid}`));
  assert.equal(code, 1);
  assert.deepEqual(
    readdirSync(scratch).filter((name) => name.startsWith('run.before')),
    [],
  );
});
