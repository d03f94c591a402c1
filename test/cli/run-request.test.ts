import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolveInput } from '../../activities/resolve-input.ts';
import { digestOf } from '../../contracts/digest.ts';
import { requestRun } from '../../cli/run-request.ts';
import { scratch } from './run-cli.ts';

const file = join(scratch, 'mine.json');
writeFileSync(file, JSON.stringify({ generations: 2, tasks: { turns: 7 } }));

test('a preset with a seed has both for its name; whatever differs has a name of its own', () => {
  const plain = requestRun({ preset: 'smoke', seed: '3', set: [] });
  assert.deepEqual([plain.workflowId, plain.input], ['run-smoke-seed3', { preset: 'smoke', seed: 3 }]);
  const changed = requestRun({ preset: 'smoke', seed: '3', set: ['tasks.turns=7'] });
  assert.equal(changed.workflowId, `run-smoke-seed3-${digestOf(changed.config).slice(0, 8)}`);
  const same = requestRun({ preset: 'smoke', set: ['seed=3'], generations: String(plain.config.generations) });
  assert.equal(same.workflowId, 'run-smoke-seed3');
});

test('a file is sent whole, under its name or the one it gives itself, and comes to the same anywhere', () => {
  const { workflowId, input, config } = requestRun({ preset: file, set: [] });
  assert.match(workflowId, /^run-mine-seed0-[0-9a-f]{8}$/);
  assert.deepEqual([config.preset, config.tasks.turns], ['mine', 7]);
  assert.deepEqual(resolveInput(input), config);
  writeFileSync(file, JSON.stringify({ preset: 'smoke', generations: 2 }));
  const named = requestRun({ preset: file, set: [] });
  assert.match(named.workflowId, /^run-smoke-seed0-[0-9a-f]{8}$/);
  assert.deepEqual(resolveInput(named.input), named.config);
});

test('a name that no preset has is refused unless every key is given', () => {
  const { config } = requestRun({ preset: 'smoke', set: [] });
  assert.equal(resolveInput({ ...config, preset: 'other' }).preset, 'other');
  assert.throws(() => resolveInput({ preset: 'other', generations: 2 }), /preset 'other' is unknown/);
  assert.throws(() => requestRun({ preset: 'smokke', set: [] }), /did you mean 'smoke'\?/);
});
