/** The generator: pure, split by what a task says, with held-out value pairs and clear refusals. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { digestOf, digestOfText } from '../../contracts/digest.ts';
import { Failure } from '../../contracts/failures.ts';
import type { Task } from '../../contracts/task.ts';
import { FAMILIES, HELD_OUT_FAMILIES, TRAINED_FAMILIES } from '../../tasks/builtin/families.ts';
import type { Family } from '../../tasks/builtin/family.ts';
import { generateTask, SUB_GOAL_MIXES } from '../../tasks/builtin/generate-task.ts';
import { countHeldOutPairs } from '../../tasks/builtin/held-out-pairs.ts';
import { checkInstanceSpace, taskSet } from '../../tasks/builtin/task-set.ts';
import { SPLITS, splitOf } from '../../tasks/split.ts';

const ALL_FAMILIES = [...FAMILIES.keys()];
/** Those of the preset `demo`. */
const DEMO_FAMILIES = ['notes', 'config', 'tidy', 'audit', 'release', 'report', 'migrate'];
const content = (task: Task): string => digestOf({ instruction: task.instruction, files: task.files });

/** A family with one instruction only. */
const tiny: Family = {
  name: 'tiny',
  kinds: ['delete'],
  splits: SPLITS,
  minimumSubGoals: 1,
  maximumSubGoals: 4,
  compose: () => ['delete'],
};

const refusal = (pattern: RegExp) => (thrown: unknown) =>
  thrown instanceof Failure && thrown.boundary === 'task' && pattern.test(thrown.message);

describe('determinism', () => {
  test('the same arguments give the same task, in this process and in every other', () => {
    const ids = (seed: number): string[] =>
      SPLITS.flatMap((split) => {
        const families = DEMO_FAMILIES.filter((name) => FAMILIES.get(name)?.splits.includes(split));
        return taskSet({ families, split, count: 40, seed, subGoalWeights: SUB_GOAL_MIXES.hard }).map(({ id }) => id);
      });
    assert.deepEqual(ids(7), ids(7));
    assert.notDeepEqual(ids(7), ids(8));
    assert.equal(digestOfText(ids(7).join('\n')), '1604409368540acf8c990f416d30853f8e49caf5865ed697165fd28fd8585a0d');
  });

  test('tasks of one to four sub-goals are those that they were before longer ones existed', () => {
    const pinned: readonly (readonly [string, Task['split'], readonly number[], string])[] = [
      ['notes', 'train', SUB_GOAL_MIXES.k2, 'b726dea400a784dd02707a41f6b513982ce45b3cbce8752d5db5d801981d8268'],
      ['config', 'selection', [0, 0, 0, 1], '36f98a39200d178eea830494b80b4085e80b5ace06de1a1819776348aac89aca'],
      ['tidy', 'held-out', SUB_GOAL_MIXES.k2, '3ee64f36ada463ef8d3961a2e5bee2ad22bc4230a10c0c034777a11c4763571d'],
      ['audit', 'train', [0, 0, 0, 1], '19994647bf5a52bcfd4fe73bf9c6c086b8ad55aa4dc91b1b33d9846faff2ed2e'],
      ['release', 'held-out', SUB_GOAL_MIXES.hard, '87de3a565a4f8fb067a85b864481e5d0bea6d521fb8f956c0334afefa6efa76e'],
      ['report', 'train', SUB_GOAL_MIXES.hard, '170074465d13ddc40bbadbab6a8d3f4dea3752916b6d3a62f6af925ab572e57e'],
      ['migrate', 'held-out', [0, 0, 0, 1], 'e9341745c33d64708aaf0804538d9aaea8ddbcc088002352ff5180b335a31eda'],
    ];
    for (const [family, split, subGoalWeights, id] of pinned) {
      assert.equal(generateTask({ family, split, seed: 7, subGoalWeights }).id, id, `${family}, ${split}`);
      // Weights of 0 behind the others draw nothing else.
      const longer = [...subGoalWeights, 0, 0, 0, 0];
      assert.equal(generateTask({ family, split, seed: 7, subGoalWeights: longer }).id, id, `${family}, ${split}`);
    }
  });

  test('tasks are frozen all the way down', () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value as Record<string, unknown>).every(isFrozen));
    for (const family of ALL_FAMILIES)
      assert.ok(isFrozen(generateTask({ family, split: 'held-out', seed: 1 })), family);
  });
});

describe('splits', () => {
  test('are disjoint over ten thousand draws and several seeds', () => {
    const home = new Map<string, string>();
    for (const seed of [1, 2, 3]) {
      for (const [split, count] of [
        ['train', 2400],
        ['selection', 500],
        ['held-out', 500],
      ] as const) {
        const families = split === 'held-out' ? ALL_FAMILIES : TRAINED_FAMILIES;
        for (const task of taskSet({ families, split, count, seed })) {
          assert.equal(splitOf(task.instruction), split);
          for (const key of [task.instruction, content(task), task.id]) {
            assert.equal(home.get(key) ?? split, split, task.instruction);
            home.set(key, split);
          }
        }
      }
    }
  });

  test('train never holds a held-out pair, the others do', () => {
    const pairs = (split: 'train' | 'selection' | 'held-out'): number =>
      taskSet({ families: TRAINED_FAMILIES, split, count: 1200, seed: 4, subGoalWeights: SUB_GOAL_MIXES.hard })
        .map((task) => countHeldOutPairs(task.subGoals))
        .reduce((sum, count) => sum + count, 0);
    assert.equal(pairs('train'), 0);
    assert.ok(pairs('selection') > 300);
    assert.ok(pairs('held-out') > 300);
  });

  test('the composition is held out, and its order is one that no trained family has', () => {
    for (const family of HELD_OUT_FAMILIES) {
      for (const split of ['train', 'selection'] as const) {
        assert.throws(
          () => generateTask({ family, split, seed: 1 }),
          refusal(/family (migrate|restore) has no (train|selection) tasks: it exists in held-out only/),
        );
      }
    }
    for (const task of taskSet({ families: ['migrate'], split: 'held-out', count: 200, seed: 1 })) {
      assert.match(
        task.subGoals.map(({ kind }) => kind).join(' '),
        /^(lookup|place) move( (lookup|move|write|place))*$/,
      );
    }
  });
});

describe('instances', () => {
  const task = fc
    .record({
      family: fc.constantFrom(...ALL_FAMILIES),
      seed: fc.nat(),
      mix: fc.constantFrom('k2' as const, 'hard' as const),
    })
    .map(({ family, seed, mix }) =>
      generateTask({ family, split: 'held-out', seed, subGoalWeights: SUB_GOAL_MIXES[mix] }),
    );

  test("no word has two roles, no path two files, and one file is nobody's business", () => {
    fc.assert(
      fc.property(task, ({ subGoals, files, checks, instruction, workdir }) => {
        const words = subGoals.flatMap(({ slots }) => Object.values(slots));
        const names = files.map(({ path }) => path);
        assert.equal(new Set(words).size, words.length);
        assert.equal(new Set(names).size, names.length);
        assert.equal(checks.length, subGoals.length);
        assert.equal(instruction.split('; ').length, subGoals.length);
        const free = names.filter((path) => !path.endsWith('.tmp') && !words.includes(path.slice(workdir.length + 1)));
        assert.equal(free.length, 1);
      }),
    );
  });

  test('the number of sub-goals follows its weights in every split', () => {
    for (const split of SPLITS) {
      const counts = [0, 0, 0];
      for (const { subGoals } of taskSet({ families: TRAINED_FAMILIES, split, count: 1500, seed: 2 })) {
        counts[subGoals.length - 1] = (counts[subGoals.length - 1] ?? 0) + 1 / 1500;
      }
      SUB_GOAL_MIXES.k2.forEach((weight, index) => {
        assert.ok(Math.abs((counts[index] ?? 0) - weight) < 0.04, `${split}: ${counts.join(', ')}`);
      });
    }
  });

  test('a task set rotates its families and repeats nothing', () => {
    const families = ['notes', 'audit'];
    const first = taskSet({ families, split: 'train', count: 500, seed: 1 });
    assert.deepEqual(
      first.slice(0, 4).map(({ family }) => family),
      ['notes', 'audit', 'notes', 'audit'],
    );
    const without = new Set(first.map(({ id }) => id));
    assert.equal(without.size, 500);
    const second = taskSet({ families, split: 'train', count: 500, seed: 1, without });
    assert.ok(second.every(({ id }) => !without.has(id)));
  });
});

describe('refusals', () => {
  test('say what is wrong, where, and what to do', () => {
    const train = { split: 'train', seed: 1 } as const;
    assert.throws(
      () => generateTask({ ...train, family: 'nots' }),
      refusal(/no task family "nots": known are notes, /),
    );
    for (const subGoalWeights of [[], [0, 0], [-1, 2], [1, 1, 1, 1, 1], [Number.NaN]]) {
      const options = { ...train, family: 'notes', subGoalWeights };
      assert.throws(() => generateTask(options), refusal(/family notes needs weights >= 0 for 1 to 4 sub-goals/));
    }
    assert.throws(
      () => generateTask({ family: 'migrate', split: 'held-out', seed: 1, subGoalWeights: [1] }),
      refusal(/migrate needs weights >= 0 for 2 to 4 sub-goals, one of them positive: got \[1\]/),
    );
    assert.throws(() => taskSet({ ...train, families: [], count: 1 }), refusal(/at least one family/));
  });

  test('a family that cannot host its number of sub-goals is refused, with how many it can', () => {
    const draw = (family: string | Family, subGoalWeights: readonly number[]) => () =>
      generateTask({ family, split: 'train', seed: 1, subGoalWeights });
    assert.throws(draw('notes', SUB_GOAL_MIXES.long), refusal(/family notes needs weights >= 0 for 1 to 4 sub-goals/));
    assert.throws(draw('survey', [0, 0, 0, 0, 0, 0, 0, 0, 1]), refusal(/family survey needs .* for 1 to 8 sub-goals/));
    // Five lookups need ten keys of eight.
    const greedy: Family = {
      ...{ ...tiny, name: 'greedy', kinds: ['lookup'], maximumSubGoals: 5 },
      compose: (count) => Array<string>(count).fill('lookup'),
    };
    const message = /^family greedy cannot host the 5 sub-goals it states, train: no word left for a file \(host,/;
    assert.throws(() => checkInstanceSpace(greedy), refusal(message));
    assert.doesNotThrow(() => checkInstanceSpace({ ...greedy, maximumSubGoals: 4 }));
  });

  test('a family too small for three splits is refused, not looped over', () => {
    assert.throws(() => checkInstanceSpace(tiny), refusal(/tiny: 600 draws gave 1 different instructions/));
    assert.throws(() => taskSet({ families: [tiny], split: 'train', count: 1, seed: 1 }), refusal(/tiny/));
    const elsewhere = SPLITS.find((split) => split !== splitOf('remove all .tmp')) ?? 'train';
    const options = { family: tiny, split: elsewhere, seed: 1, subGoalWeights: [1] };
    assert.throws(() => generateTask(options), refusal(/tiny: 400 draws with 1 sub-goals gave no/));
    for (const family of FAMILIES.values()) assert.doesNotThrow(() => checkInstanceSpace(family));
  });
});

test('more than 5,000 tasks a second on an idle core; a tenth of that is demanded here', () => {
  const start = performance.now();
  for (let seed = 0; seed < 1000; seed++) generateTask({ family: 'report', split: 'train', seed });
  assert.ok(performance.now() - start < 2000);
});
