import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { ProgressEvent } from '../../training/progress-event.ts';
import { planRun } from '../../cli/progress/plan.ts';
import { renderBlock, renderLine } from '../../cli/progress/render.ts';
import { elapsed, progressState, startProgress, timeLeft, type ProgressState } from '../../cli/progress/state.ts';
import { openProgressView } from '../../cli/progress/view.ts';
import { group } from '../viewer/a-run-result.ts';

const CONFIG = parseRunConfig({
  generations: 1,
  stages: ['self-rewrite'],
  tasks: { selection: 8, heldOut: 8, heldOutComposition: 0 },
  warmStart: { demonstrations: 80, rewriteDemonstrations: 20 },
});

function storedGroup(
  step: string,
  generation: number,
  stageIndex: number,
  episodes: number,
  iteration = 0,
): ProgressEvent {
  const content = group(generation, stageIndex, step, iteration);
  const summary = { ...content.summary, episodes };
  return { kind: 'stored', place: content.place, content: { ...content, summary }, seconds: 1, replayed: false };
}

function stored(step: string, generation: number, stageIndex: number): ProgressEvent {
  const place = { generation, stageIndex, step, iteration: 0, group: 0 };
  return { kind: 'stored', place, content: { kind: 'other' }, seconds: 1, replayed: false };
}

function after(events: readonly (readonly [ProgressEvent, number])[], before = 0): ProgressState {
  return events.reduce((state, [event, at]) => progressState(state, event, at), startProgress(CONFIG, before));
}

const IMITATED: readonly (readonly [ProgressEvent, number])[] = [
  [{ kind: 'stage', generation: 0, stageIndex: -1, stage: 'warm-start' }, 0],
  [storedGroup('demonstrations', 0, -1, 100), 4],
  [stored('imitation', 0, -1), 10],
];

test('nothing is claimed about the time left until something was measured', () => {
  assert.equal(timeLeft(startProgress(CONFIG, 0), 5), null);
});

test('after the first imitation the rest is estimated by weight: 100 trajectories took 10 s', () => {
  const state = after(IMITATED);
  const units = planRun(CONFIG)
    .filter(({ pace }) => pace !== 'imitation')
    .reduce((sum, { amount, weight }) => sum + amount * weight, 0);
  const left = timeLeft(state, 10);
  assert.ok(left !== null && Math.abs(left - units * 0.1) < 1e-6, `${left} of ${units * 0.1}`);
});

test('a pace that was measured replaces its weight', () => {
  const slow = after([...IMITATED, [storedGroup('probe', 0, 0, 128), 10 + 1280]]);
  const fast = after([...IMITATED, [storedGroup('probe', 0, 0, 128), 11]]);
  const difference = (timeLeft(slow, 1290) ?? 0) - (timeLeft(fast, 11) ?? 0);
  assert.ok(difference > 1000, `${difference}`);
});

test('the time left falls as the step under way goes on, is never negative, and ends at 0', () => {
  const state = after(IMITATED);
  assert.ok((timeLeft(state, 12) ?? 0) < (timeLeft(state, 10) ?? 0));
  assert.ok((timeLeft(state, 1e9) ?? -1) >= 0);
  const done = after([...IMITATED, [{ kind: 'stage', generation: 9, stageIndex: 0, stage: 'evaluate' }, 12]]);
  assert.equal(timeLeft(done, 12), 0);
});

test('a stage that begins closes what came before it, even if it took less than planned', () => {
  const state = after([...IMITATED, [{ kind: 'stage', generation: 1, stageIndex: 0, stage: 'self-rewrite' }, 12]]);
  for (const step of state.plan.filter(({ generation }) => generation === 0)) assert.equal(step.done, step.amount);
});

test('time of former sessions counts as elapsed', () => {
  assert.equal(elapsed(after(IMITATED, 100), 10), 110);
});

test('the block shows generation, stage, work, rates, loss, elapsed and left within the width', () => {
  const state = after([
    ...IMITATED,
    [{ kind: 'stage', generation: 1, stageIndex: 0, stage: 'self-rewrite' }, 12],
    [storedGroup('rollout', 1, 0, 4), 13],
    [{ kind: 'work', what: 'steps', done: 3, of: 12, loss: 0.5 }, 14],
  ]);
  const lines = renderBlock(state, 14, 100);
  assert.match(lines[0] ?? '', /^generation 1\/1 · self-rewrite \(stage 1\/1\)$/);
  assert.match(lines[1] ?? '', /^steps 3\/12 ██████░+ 25 %$/);
  assert.match(lines[2] ?? '', /strict 25\.0 %, partial mean 60\.0 % · loss 0\.5000/);
  assert.match(lines[3] ?? '', /^elapsed 0:14 · left about \d+:\d\d · stored last: rollout$/);
  for (const line of renderBlock(state, 14, 20)) assert.ok(line.length <= 20);
});

test('a pipe gets one line per stored record, none for replayed ones', () => {
  const event = storedGroup('rollout', 1, 0, 4);
  const state = after([...IMITATED, [event, 13]]);
  assert.match(
    renderLine(state, event, 13) ?? '',
    /rollout 0\.0 · 4 episodes, strict 25\.0 %, partial mean 60\.0 % · left/,
  );
  assert.equal(renderLine(state, { ...event, replayed: true } as ProgressEvent, 13), null);
});

test('a terminal is redrawn in place and left clean; a pipe sees no escape codes', () => {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  const terminal = openProgressView(CONFIG, 0, { write, isTTY: true, columns: 80 });
  terminal.report({ kind: 'stage', generation: 0, stageIndex: -1, stage: 'warm-start' });
  terminal.say('hello');
  terminal.close();
  assert.match(written.join(''), /\u001b\[4A\u001b\[0J/);
  assert.equal(written.at(-1), '\u001b[4A\u001b[0J');
  terminal.say('after it');
  assert.equal(written.at(-1), 'after it\n');
  written.length = 0;
  const pipe = openProgressView(CONFIG, 0, { write, isTTY: false });
  pipe.report(storedGroup('probe', 0, 0, 128));
  pipe.close();
  assert.equal(written.length, 1);
  assert.doesNotMatch(written.join(''), /\u001b/);
});

test('what holds a run is said once, stands in the block, and is no time of work', async () => {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  const pipe = openProgressView(CONFIG, 0, { write, isTTY: false });
  for (const why of [null, 'paused: lunch', 'paused: lunch', null]) pipe.hold(why);
  pipe.close();
  assert.deepEqual(written, ['paused: lunch\n', 'going on\n']);
  written.length = 0;
  const terminal = openProgressView(CONFIG, 60, { write, isTTY: true, columns: 80 });
  terminal.hold('paused: lunch');
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  terminal.say('hello');
  terminal.close();
  assert.match(written.join(''), /\npaused: lunch\n[^]*hello\n[^]*elapsed 1:00 /);
});
