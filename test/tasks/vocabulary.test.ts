/** The promise of tasks/builtin/vocabulary.ts: one exact tokenisation of everything that tasks, agents and shell say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HELD_OUT_FAMILIES, TRAINED_FAMILIES } from '../../tasks/builtin/families.ts';
import { SUB_GOAL_MIXES } from '../../tasks/builtin/generate-task.ts';
import { taskSet } from '../../tasks/builtin/task-set.ts';
import * as vocabulary from '../../tasks/builtin/vocabulary.ts';
import { bashPlayer, openTerminal } from './bash-player.ts';
import { readPieces } from './reading.ts';

const { VOCABULARY, FILE_WORDS, KEYS, DIRECTORIES, NUMBERS, MODES, CONTENT_WORDS } = vocabulary;
const families = [...TRAINED_FAMILIES, ...HELD_OUT_FAMILIES];
const subGoalWeights = SUB_GOAL_MIXES.hard;
const tasks = taskSet({ families, split: 'held-out', count: 140, seed: 1, subGoalWeights });

test('pieces are distinct, and no word stands inside another piece', () => {
  assert.equal(new Set(VOCABULARY).size, VOCABULARY.length);
  for (const word of [...FILE_WORDS, ...KEYS, ...DIRECTORIES, ...CONTENT_WORDS]) {
    const inside = VOCABULARY.filter((piece) => piece !== word && piece.includes(word));
    assert.deepEqual(inside, [], `${word} stands inside other pieces`);
  }
  for (const number of [...NUMBERS, ...MODES]) {
    const begun = VOCABULARY.filter((piece) => piece !== number && piece.startsWith(number));
    assert.deepEqual(begun, [], `${number} begins other pieces`);
  }
  assert.deepEqual([FILE_WORDS.length, KEYS.length, DIRECTORIES.length, NUMBERS.length], [36, 8, 6, 40]);
});

test('every instruction and every initial file is made of known pieces', () => {
  for (const task of tasks) {
    assert.deepEqual(readPieces(task.instruction).unknown, [], task.instruction);
    for (const file of task.files) {
      assert.deepEqual(readPieces(file.content).unknown, [], file.content);
      assert.deepEqual(readPieces(file.path.slice(task.workdir.length)).unknown, [], file.path);
    }
  }
});

test('commands are read back into the very pieces that they were put together from', () => {
  const word = fc.constantFrom(...FILE_WORDS);
  const [key, number, mode] = [fc.constantFrom(...KEYS), fc.constantFrom(...NUMBERS), fc.constantFrom(...MODES)];
  const directory = fc.constantFrom(...DIRECTORIES);
  const command = fc.oneof(
    fc.tuple(fc.constant('echo '), word, fc.constant(' > '), word),
    fc.tuple(fc.constant('echo '), word, fc.constant(' > '), directory, fc.constant('/'), word),
    fc.tuple(key, number, word).map(([k, v, f]): string[] => ['sed -i s/^', k, '=.*/', k, '=', v, '/ ', f]),
    fc.tuple(fc.constantFrom('cat ', 'mkdir ', 'write ', 'count ', 'rename ', 'fetch '), word),
    fc.tuple(fc.constant('mv '), word, fc.constant(' '), word),
    fc.tuple(fc.constant('chmod '), mode, fc.constant(' '), word),
    fc.tuple(fc.constant('wc -l < '), word, fc.constant(' > '), word),
    fc.tuple(fc.constantFrom('rm *.tmp', 'ls', 'done', 'remove all .tmp')),
    fc.tuple(fc.constant('set '), key, fc.constant(' to '), number, fc.constant(' in '), word),
    fc.tuple(fc.constant('mode '), mode, fc.constant(' for '), word),
    fc.tuple(word, fc.constant('.tmp')),
    fc.tuple(key, fc.constant('='), number),
  );
  const text = fc.array(command, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(text, fc.constantFrom('; ', '\n'), (commands, joint) => {
      const intended = commands.flatMap((pieces, index) => (index === 0 ? pieces : [joint, ...pieces]));
      assert.deepEqual(readPieces(intended.join('')).pieces, intended);
    }),
  );
});

test('what oracle and sloppy agents do and see is made of known pieces and fits the limits', async () => {
  let longest = 0;
  for (const kind of ['oracle', 'sloppy'] as const) {
    const seeds = tasks.map((_, index) => index);
    for (const [index, episode] of (await bashPlayer.play(kind, tasks, seeds)).entries()) {
      const { instruction, limits } = tasks[index] as (typeof tasks)[number];
      let tokens = readPieces(instruction).pieces.length + 2;
      for (const { command, result } of episode.turns) {
        const [said, seen] = [readPieces(command), readPieces(result.stdout + result.stderr)];
        assert.deepEqual([said.unknown, seen.unknown], [[], []], `${command} -> ${result.stdout}${result.stderr}`);
        assert.ok(said.pieces.length < limits.tokensPerTurn, command);
        tokens += said.pieces.length + seen.pieces.length + 3;
      }
      longest = Math.max(longest, tokens);
    }
  }
  assert.ok(longest <= (tasks[0]?.limits.context ?? 0), `longest episode: ${longest} tokens`);
});

test('common answers of the shell to wrong commands are made of known pieces', async () => {
  const terminal = await openTerminal(tasks[0] as (typeof tasks)[number]);
  const wrong = [
    ...['cat amber', 'mv amber coral', 'mv amber', 'mv', 'rm *.tmp', 'chmod 600 amber'],
    ...[
      'chmod amber coral',
      'chmod 600',
      'chmod',
      'wc -l < amber > coral',
      'sed -i s/^host=.*/host=11/ amber',
      'sed -i',
    ],
    ...['sed -i s/^host=.*/host=11/', 'sed -i s/^host=.* amber', 'amber', 'amber/coral', 'mkdir attic', 'mkdir attic'],
    ...[
      'mkdir',
      'echo amber > attic',
      'echo amber > vault/coral',
      'cat attic',
      'mv attic attic',
      'ls amber',
      'echo',
      '/',
    ],
    ...['echo amber > ', 'wc -l < ', 'mv amber coral delta', 'mkdir vault/amber', 'done', 'rm *.tmp attic'],
  ];
  for (const command of wrong) {
    const { stdout, stderr } = await terminal.step(command);
    assert.deepEqual(readPieces(stdout + stderr).unknown, [], `${command} -> ${stdout}${stderr}`);
  }
});

test('the next needed word stands within 4 pieces after one just given', async () => {
  const words = new Set<string>([...FILE_WORDS, ...KEYS, ...DIRECTORIES, ...NUMBERS, ...MODES]);
  const seeds = tasks.map(() => 0);
  for (const [index, episode] of (await bashPlayer.play('oracle', tasks, seeds)).entries()) {
    const context = [...readPieces(tasks[index]?.instruction ?? '').pieces, '\n'];
    for (const { command, result } of episode.turns) {
      const said = readPieces(command).pieces;
      const given = said.filter((piece) => words.has(piece));
      given.slice(1).forEach((needed, position) => {
        const earlier = new Set(given.slice(0, position + 1));
        const near = context.some(
          (p, at) => p === needed && context.slice(Math.max(0, at - 4), at).some((q) => earlier.has(q)),
        );
        // The number of a lookup stands right after the command that showed it.
        const shown = context.slice(-3).includes(needed);
        assert.ok(near || shown || earlier.has(needed), `${tasks[index]?.instruction}: ${command}: ${needed}`);
      });
      context.push(...said, '\n', ...readPieces(result.stdout + result.stderr).pieces);
    }
  }
});
