/** Families of up to eight sub-goals: they always can be drawn, they stay within their hands, they are played for real. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPrompt, rewritePrompt, scriptedTranscript } from '../../agent/transcript.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import type { ScriptedEpisode } from '../../contracts/sandbox.ts';
import type { Task } from '../../contracts/task.ts';
import { presetFor } from '../../infra/presets.ts';
import { openTokenizer } from '../../model/tokenizer.ts';
import { rewriteDemonstration } from '../../tasks/builtin/agents/rewrite-demonstration.ts';
import { generateTask, SUB_GOAL_MIXES } from '../../tasks/builtin/generate-task.ts';
import { LONG_TRAINED, restore } from '../../tasks/builtin/long-families.ts';
import { taskSet } from '../../tasks/builtin/task-set.ts';
import { finalChecks, isStrict, validateFamily } from '../../tasks/builtin/validate.ts';
import { taskLimits } from '../../training/task-sets.ts';
import { checkRun } from '../../training/check-run.ts';
import { bashPlayer } from './bash-player.ts';

const LONG = [...LONG_TRAINED, restore];
const CONFIG = parseRunConfig(presetFor('demo-long', 'native'));
const limits = taskLimits({ config: CONFIG });
/** Longest first: what is too long shows there. */
const EIGHT = [0, 0, 0, 0, 0, 0, 0, 1];
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const kindsOf = ({ subGoals }: Task): string[] => subGoals.map(({ kind }) => kind);

test('each number of sub-goals from the least to eight can be drawn in every split, no word twice', () => {
  for (const family of LONG) {
    assert.equal(family.maximumSubGoals, 8, family.name);
    for (const split of family.splits) {
      for (let count = family.minimumSubGoals; count <= 8; count++) {
        const subGoalWeights = [...Array<number>(count - 1).fill(0), 1];
        for (let seed = 0; seed < 60; seed++) {
          const { subGoals, files } = generateTask({ family, split, seed, subGoalWeights });
          const words = subGoals.flatMap(({ slots }) => Object.values(slots));
          assert.deepEqual([subGoals.length, new Set(words).size], [count, words.length]);
          assert.equal(new Set(files.map(({ path }) => path)).size, files.length);
        }
      }
    }
  }
});

test('what uses up a list of words is bounded: eight keys, six directories, six modes', () => {
  const tasks = LONG.flatMap((family) =>
    taskSet({ families: [family], split: 'held-out', count: 200, seed: 3, subGoalWeights: EIGHT }),
  );
  const most = (...kinds: string[]): number =>
    Math.max(...tasks.map((task) => kindsOf(task).filter((kind) => kinds.includes(kind)).length));
  assert.deepEqual([most('lookup', 'config'), most('place'), most('perm'), most('delete')], [4, 6, 4, 1]);
});

test('the unseen composition puts one after another what no trained task does', () => {
  const following = (task: Task): string[] => kindsOf(task).flatMap((kind, i, all) => (i === 0 ? [] : [`${all[i - 1]} ${kind}`])); // prettier-ignore
  const options = { count: 400, seed: 1, subGoalWeights: SUB_GOAL_MIXES.long };
  const trained = new Set(taskSet({ families: LONG_TRAINED, split: 'train', ...options }).flatMap(following));
  const unseen = taskSet({ families: [restore], split: 'held-out', ...options });
  assert.deepEqual([...new Set(unseen.flatMap(following))].sort(), ['lookup move', 'move lookup', 'move place', 'place move']); // prettier-ignore
  assert.deepEqual(unseen.flatMap(following).filter((pair) => trained.has(pair)), []); // prettier-ignore
});

test('every one validates itself with five to eight sub-goals within the limits of its preset', async () => {
  for (const family of LONG) {
    const options = { tasksPerSplit: 12, seed: 3, subGoalWeights: SUB_GOAL_MIXES.long, limits };
    const reports = await validateFamily(family, bashPlayer, options);
    assert.deepEqual(reports.map(({ split }) => split), family.splits); // prettier-ignore
    for (const report of reports) assert.equal(report.oracleStrict, 1);
  }
});

test('demonstrations of long tasks hold about as much of them as those of four, rewrites of them add up to two', async () => {
  const tasks = taskSet({ families: LONG_TRAINED, split: 'train', count: 200, seed: 5, subGoalWeights: EIGHT, limits });
  const seeds = tasks.map((_, index) => index);
  const parents = await bashPlayer.play('sloppy', tasks, seeds);
  const strict = mean(parents.map((episode) => Number(isStrict(episode))));
  const progress = mean(parents.map((episode) => mean(finalChecks(episode))));
  assert.ok(strict > 0.01 && strict < 0.12, `strict ${strict}`);
  assert.ok(progress > 0.3 && progress < 0.46, `progress ${progress}`);
  const rewrites = parents.map((parent, i) => rewriteDemonstration(tasks[i] as Task, parent.turns, i) ?? []);
  const children = await bashPlayer.replay(
    tasks,
    rewrites.map((commands) => commands.filter((command) => command !== 'done')),
  );
  const gains = children.flatMap((child, i) => {
    if (rewrites[i]?.length === 0) return [];
    const before = finalChecks(parents[i] as ScriptedEpisode);
    before.forEach((check, at) => assert.ok((finalChecks(child)[at] ?? 0) >= check, rewrites[i]?.join(' && ')));
    return [sum(finalChecks(child)) - sum(before)];
  });
  assert.ok(Math.max(...gains) === 2 && mean(gains) > 0.8, `gained ${mean(gains)}`);
});

test('preset demo-long: it is accepted, and solutions and rewrites of eight sub-goals fit its limits', async () => {
  checkRun(CONFIG);
  const tokenizer = openTokenizer();
  const tasks = taskSet({ families: LONG_TRAINED, split: 'train', count: 160, seed: 8, subGoalWeights: EIGHT, limits });
  const seeds = tasks.map((_, index) => index);
  const [oracle, sloppy] = [
    await bashPlayer.play('oracle', tasks, seeds),
    await bashPlayer.play('sloppy', tasks, seeds),
  ];
  const tokens = { plain: 0, polish: 0, repair: 0 };
  for (const [i, task] of tasks.entries()) {
    const [solved, tried] = [oracle[i] as ScriptedEpisode, sloppy[i] as ScriptedEpisode];
    // The turn of `done` counts.
    assert.ok(solved.turns.length + 1 <= limits.turns);
    const after = (promptIds: readonly number[]): number => scriptedTranscript(tokenizer, task, solved, { promptIds }).tokenIds.length; // prettier-ignore
    const promptOf = (parent: ScriptedEpisode): number[] => rewritePrompt(tokenizer, task, scriptedTranscript(tokenizer, task, parent), finalChecks(parent)); // prettier-ignore
    tokens.plain = Math.max(tokens.plain, after(plainPrompt(tokenizer, task)));
    tokens.polish = Math.max(tokens.polish, after(promptOf(solved)));
    tokens.repair = Math.max(tokens.repair, after(promptOf(tried)));
  }
  const longest = Math.max(...Object.values(tokens));
  assert.ok(longest <= limits.context && tokens.plain > 120, JSON.stringify(tokens));
});
