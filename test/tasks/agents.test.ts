/** Scripted agents and the demonstrations of rewriting made from them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../../contracts/task.ts';
import { createScriptedAgent } from '../../tasks/builtin/agents/scripted-agent.ts';
import { rewriteDemonstration } from '../../tasks/builtin/agents/rewrite-demonstration.ts';
import { spoil } from '../../tasks/builtin/agents/sloppy.ts';
import { TRAINED_FAMILIES } from '../../tasks/builtin/families.ts';
import { countHeldOutPairs } from '../../tasks/builtin/held-out-pairs.ts';
import { streamOf } from '../../tasks/builtin/stream-of.ts';
import { taskSet } from '../../tasks/builtin/task-set.ts';
import { finalChecks } from '../../tasks/builtin/validate.ts';
import { bashPlayer } from './bash-player.ts';

const tasks = taskSet({ families: TRAINED_FAMILIES, split: 'train', count: 240, seed: 9 });
const seeds = tasks.map((_, index) => index);
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

test('an agent says `done` and stays with it', () => {
  const [task] = tasks as [Task, ...Task[]];
  const idle = createScriptedAgent('idle', task, 1);
  assert.deepEqual([idle.next(null), idle.next({ text: '', exitCode: 0 })], ['done', 'done']);
  const oracle = createScriptedAgent('oracle', task, 1);
  const said = [oracle.next(null)];
  while (said.at(-1) !== 'done' && said.length < 20) said.push(oracle.next({ text: '11\n', exitCode: 0 }));
  assert.equal(said.at(-1), 'done');
});

test('the oracle puts into a file what it was shown, not what the generator knows', () => {
  const task = tasks.find(({ subGoals }) => subGoals[0]?.kind === 'lookup') as Task;
  const agent = createScriptedAgent('oracle', task, 0);
  assert.match(agent.next(null), /^cat /);
  assert.match(agent.next({ text: '99\n', exitCode: 0 }), /=99\/ /);
});

test('the sloppy agent depends on its seed alone', async () => {
  const commands = async (shift: number): Promise<string[][]> => {
    const some = tasks.slice(0, 40);
    const episodes = await bashPlayer.play(
      'sloppy',
      some,
      some.map((_, index) => index + shift),
    );
    return episodes.map(({ turns }) => turns.map(({ command }) => command));
  };
  assert.deepEqual(await commands(0), await commands(0));
  assert.notDeepEqual(await commands(0), await commands(1));
});

test('a spoiled sub-goal has one argument wrong and shows no held-out pair', () => {
  const random = streamOf('spoil');
  for (const goal of tasks.flatMap(({ subGoals }) => subGoals)) {
    const wrong = spoil(goal, random);
    const changed = Object.keys(goal.slots).filter((name) => goal.slots[name] !== wrong.slots[name]);
    assert.equal(changed.length, goal.kind === 'delete' ? 0 : 1);
    assert.equal(countHeldOutPairs([wrong]), 0);
  }
});

test('a rewrite differs from its parent, never undoes a check and often shortens or adds', async () => {
  const parents = await bashPlayer.play('sloppy', tasks, seeds);
  const rewrites = parents.map((parent, index) => rewriteDemonstration(tasks[index] as Task, parent.turns, index));
  const children = await bashPlayer.replay(
    tasks,
    rewrites.map((commands) => (commands ?? []).filter((command) => command !== 'done')),
  );
  const outcome = { kept: 0, shorter: 0, better: 0 };
  rewrites.forEach((commands, index) => {
    const [parent, child] = [parents[index], children[index]];
    if (commands === null || parent === undefined || child === undefined) {
      outcome.kept += 1;
      return;
    }
    const before = parent.turns.map(({ command }) => command);
    assert.equal(commands.at(-1), 'done');
    assert.notDeepEqual(commands.slice(0, -1), before);
    finalChecks(parent).forEach((check, at) =>
      assert.ok((finalChecks(child)[at] ?? 0) >= check, commands.join(' && ')),
    );
    const gained = sum(finalChecks(child)) - sum(finalChecks(parent));
    assert.ok(gained <= 1);
    outcome.better += gained;
    outcome.shorter += Number(commands.length - 1 < before.length);
  });
  assert.ok(outcome.kept < 70 && outcome.shorter > 60 && outcome.better > 60, JSON.stringify(outcome));
});

test('a rewrite that knows the parent`s reading repeats it: no value from nowhere', async () => {
  const parents = await bashPlayer.play('idle', tasks, seeds);
  parents.forEach((parent, index) => {
    const task = tasks[index] as Task;
    const commands = rewriteDemonstration(task, parent.turns, index) ?? [];
    const value = task.subGoals.find(({ kind }) => kind === 'lookup')?.slots['value'];
    const used = commands.findIndex((command) => value !== undefined && command.includes(`=${value}/`));
    if (used >= 0)
      assert.ok(
        commands.slice(0, used).some((command) => command.startsWith('cat ')),
        commands.join(' && '),
      );
  });
});
