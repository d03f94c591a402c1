import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { Failure } from '../../contracts/failures.ts';
import { checkRun } from '../../training/check-run.ts';
import { EXIT, reportError, usageLine } from '../../cli/exit.ts';
import { merge, presetNames } from '../../infra/presets.ts';
import { defaultRunFolder } from '../../cli/run-folder.ts';
import { resolveConfig } from '../../cli/run-options.ts';
import { applySet, parseValue } from '../../cli/set-option.ts';

test('every preset is a valid configuration under its own name', () => {
  for (const preset of presetNames()) assert.equal(resolveConfig({ preset, set: [] }, 'native').preset, preset);
});

test('the options win over --set, --set over the preset', () => {
  const config = resolveConfig(
    { preset: 'smoke', seed: '4', set: ['seed=3', 'generations=5', 'tasks.turns=7'] },
    'native',
  );
  assert.deepEqual([config.seed, config.generations, config.tasks.turns], [4, 5, 7]);
  assert.notEqual(config.tasks.selection, parseRunConfig({}).tasks.selection);
});

test('values are JSON, what is not JSON is text, and NaN stays a number', () => {
  assert.deepEqual(['3', 'null', '[1]', 'token', '"3"', ' 1e-3 '].map(parseValue), [3, null, [1], 'token', '3', 0.001]);
  assert.ok(Number.isNaN(parseValue('NaN')));
});

test('--set reaches into sections without touching what is beside it', () => {
  const before = { tasks: { turns: 3, context: 64 } };
  assert.deepEqual(applySet(before, 'tasks.turns=4'), { tasks: { turns: 4, context: 64 } });
  assert.deepEqual(before, { tasks: { turns: 3, context: 64 } });
  assert.deepEqual(merge({ a: { b: 1, c: [1] } }, { a: { c: [2] } }), { a: { b: 1, c: [2] } });
});

test('equal configurations share a folder, different ones do not', () => {
  const one = defaultRunFolder(parseRunConfig({ seed: 3 }));
  assert.match(one, /\/runs\/demo-seed3-[0-9a-f]{8}$/);
  assert.equal(one, defaultRunFolder(parseRunConfig({ seed: 3 })));
  assert.notEqual(one, defaultRunFolder(parseRunConfig({ seed: 3, generations: 2 })));
  assert.match(defaultRunFolder(parseRunConfig({ preset: '../../etc' })), /\/runs\/-etc-seed0-/);
});

test('the reward order can be waived for ablations', () => {
  const reward = { partialScale: 0.95, allowPartialAboveSuccess: true };
  assert.doesNotThrow(() => checkRun(parseRunConfig({ reward })));
  assert.throws(() => checkRun(parseRunConfig({ reward: { partialScale: 0.95 } })), /allowPartialAboveSuccess/);
  const plain = { successPrioritized: false };
  assert.throws(
    () => checkRun(parseRunConfig({ reward: plain })),
    /'reward\.successPrioritized' is false, so .*; reward\.allowPartialAboveSuccess=true allows it$/,
  );
  assert.doesNotThrow(() => checkRun(parseRunConfig({ reward: { ...plain, allowPartialAboveSuccess: true } })));
});

test('a batch that cannot be padded and a family that cannot be drawn are refused', () => {
  assert.throws(() => checkRun(parseRunConfig({ rollout: { batch: 12 } })), /rollout\.batch/);
  assert.throws(
    () => checkRun(parseRunConfig({ tasks: { subGoalWeights: [1] } })),
    /'migrate' needs a weight > 0 for 2 sub-goals/,
  );
  assert.throws(() => checkRun(parseRunConfig({ tasks: { families: ['notes', 'notes'] } })), /'notes' twice/);
  const five = [0, 0, 0, 0, 1];
  assert.throws(
    () => checkRun(parseRunConfig({ tasks: { subGoalWeights: five } })),
    /^Failure: configuration key 'tasks\.subGoalWeights' is \[0,0,0,0,1\]; family 'notes' can host at most 4 sub-goals$/,
  );
  const survey = { families: ['survey'], composition: 'restore', subGoalWeights: five };
  assert.doesNotThrow(() => checkRun(parseRunConfig({ tasks: survey })));
  assert.throws(
    () => checkRun(parseRunConfig({ tasks: { ...survey, composition: 'migrate' } })),
    /'migrate' can host at most 4 sub-goals/,
  );
  assert.throws(
    () => checkRun(parseRunConfig({ tasks: { trainSubGoalWeights: five } })),
    /'tasks\.trainSubGoalWeights' is \[0,0,0,0,1\]; family 'notes' can host/,
  );
});

test('what a person can put right is one line; a defect says how to see its stack', () => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  assert.equal(reportError(new Failure('config', 'no\n  such thing'), write), EXIT.usage);
  assert.equal(reportError(new Failure('storage', 'full'), write), EXIT.failed);
  assert.equal(reportError(new TypeError('x is undefined'), write), EXIT.failed);
  assert.deepEqual(lines, [
    'rsi: no such thing',
    'rsi: full',
    'rsi: unexpected: x is undefined (set RSI_DEBUG=1 for the stack)',
  ]);
  assert.equal(
    usageLine("error: unknown option '--x'\n(Did you mean --y?)"),
    "rsi: unknown option '--x' (Did you mean --y?)\n",
  );
});

test('on wasm the demo takes its smaller budget, under a name of its own', () => {
  const options = { preset: 'demo', set: ['tasks.turns=7'] };
  const [native, wasm] = [resolveConfig(options, 'native'), resolveConfig(options, 'wasm')];
  assert.deepEqual([native.preset, wasm.preset, wasm.tasks.turns], ['demo', 'demo-wasm', 7]);
  assert.ok(wasm.warmStart.demonstrations < native.warmStart.demonstrations);
});
