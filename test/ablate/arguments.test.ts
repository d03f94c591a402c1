/** The command line: what is meant, and one line for the first thing that is wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../../ablate/arguments.ts';

test('what is meant', () => {
  const of = (text: string) => parseArguments(text === '' ? [] : text.split(' '));
  assert.deepEqual(of(''), {
    ...{ preset: 'demo', seeds: [0, 1, 2], only: null, diagnostics: null, home: null },
    ...{ quick: false, write: false, table: false, help: false },
  });
  assert.deepEqual(of('--seeds 7,').seeds, [7]);
  assert.deepEqual(of('--seeds 4,2').seeds, [4, 2]);
  assert.deepEqual(of('--only no-fdr,no-spr').only, ['no-fdr', 'no-spr']);
  const quick = of('--quick --write');
  assert.deepEqual([quick.preset, quick.seeds, quick.only], ['smoke', [0], ['base', 'no-rsr', 'no-rpr']]);
});

for (const [given, problem] of [
  ['--sed 3', /^Unknown option '--sed'$/],
  ['demo', /^Unexpected argument 'demo'/],
  ['--preset dem', /preset 'dem' is unknown; did you mean 'demo'\?/],
  ['--preset ../x.json', /preset '\.\.\/x\.json' is unknown/],
  ['--seeds 0', /--seeds is '0'; allowed/],
  ['--seeds 1,1', /--seeds is '1,1'; allowed/],
  ['--seeds -1', /seeds/],
  ['--seeds 1,x', /--seeds is '1,x'; allowed/],
  ['--seeds 4294967296,', /--seeds is/],
  ['--only a,,b', /--only is 'a,,b'/],
  ['--quick --seeds 2', /--quick is a study of its own; leave out --seeds/],
  ['--write', /--write goes with --quick/],
  ['--quick --table', /give one of them/],
] as const) {
  test(`refused: ${given}`, () => {
    assert.throws(
      () => parseArguments(given.split(' ')),
      (error: Error) => problem.test(error.message) && !error.message.includes('\n'),
    );
  });
}
