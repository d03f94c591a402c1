/** The families as played for real in the embedded shell: solvable, not solved by doing nothing, worth improving. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScriptedEpisode, TerminalPool } from '../../contracts/sandbox.ts';
import { Failure } from '../../contracts/failures.ts';
import { FAMILIES, familyNamed, TRAINED_FAMILIES } from '../../tasks/builtin/families.ts';
import { SUB_GOAL_MIXES } from '../../tasks/builtin/generate-task.ts';
import { taskSet } from '../../tasks/builtin/task-set.ts';
import { finalChecks, isStrict, validateFamily } from '../../tasks/builtin/validate.ts';
import { bashPlayer } from './bash-player.ts';

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

test('every family validates itself in every split, also with four sub-goals', async () => {
  for (const family of FAMILIES.values()) {
    const options = { tasksPerSplit: 8, seed: 3, subGoalWeights: SUB_GOAL_MIXES.hard };
    const reports = await validateFamily(family, bashPlayer, options);
    assert.deepEqual(
      reports.map(({ split }) => split),
      family.splits,
    );
    for (const report of reports) assert.equal(report.oracleStrict, 1);
  }
});

test('demonstrations leave room: a good third solve their task, about two thirds of the checks hold', async () => {
  const tasks = taskSet({ families: TRAINED_FAMILIES, split: 'train', count: 480, seed: 5 });
  const episodes = await bashPlayer.play(
    'sloppy',
    tasks,
    tasks.map((_, index) => index),
  );
  const strict = mean(episodes.map((episode) => Number(isStrict(episode))));
  const progress = mean(episodes.map((episode) => mean(finalChecks(episode))));
  assert.ok(strict > 0.34 && strict < 0.48, `strict ${strict}`);
  assert.ok(progress > 0.58 && progress < 0.74, `progress ${progress}`);
  assert.ok(episodes.every(({ done }) => done));
});

test('a fault in the oracle, and a check that holds from the start, are named with their task', async () => {
  const notes = familyNamed('notes');
  const options = { tasksPerSplit: 2, seed: 1 };
  const result = { stdout: '', stderr: '', exitCode: 0, timedOut: false };
  const player = (oracle: number, idle: number, sloppy = idle): Pick<TerminalPool, 'play'> => ({
    play: async (kind, tasks) =>
      tasks.map((task): ScriptedEpisode => {
        const check = { oracle, idle, sloppy }[kind as string] ?? 0;
        const checks = task.checks.map(() => check);
        return { initialChecks: checks, turns: [{ command: 'ls', result: { ...result, checks } }], done: true };
      }),
  });
  const says = (pattern: RegExp) => (thrown: unknown) => thrown instanceof Failure && pattern.test(thrown.message);
  await assert.rejects(
    validateFamily(notes, player(0, 0), options),
    says(/^family notes, train task "write .*": the oracle does not solve it \(ls\)/),
  );
  await assert.rejects(validateFamily(notes, player(1, 1), options), says(/a check holds although nothing was done/));
  await assert.rejects(validateFamily(notes, player(1, 0), options), says(/the sloppy agent makes no progress/));
  // Of short tasks it solves a few dozen by chance: no fault of theirs.
  await validateFamily(notes, player(1, 0, 1), options);
});
