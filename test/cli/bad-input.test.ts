/** What a person reads who typed something wrong: one line, which thing, what is allowed; exit code 2. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reportError } from '../../cli/exit.ts';
import { resolveConfig, type RunOptions } from '../../cli/run-options.ts';
import { runCli, scratch } from './run-cli.ts';

const WHOLE = 'allowed: a whole number >= 1 and <= 1000';
writeFileSync(join(scratch, 'broken.json'), '{ "seed": 1,');
writeFileSync(join(scratch, 'list.json'), '[]');
mkdirSync(join(scratch, 'other'));
writeFileSync(join(scratch, 'other', 'thesis.txt'), 'mine');

const set = (pair: string): Partial<RunOptions> => ({ set: [pair] });

const OPTIONS: readonly (readonly [Partial<RunOptions>, string | RegExp])[] = [
  [{ generations: '-2' }, `rsi: configuration key 'generations' is -2; ${WHOLE}`],
  [{ generations: '1.5' }, `rsi: configuration key 'generations' is 1.5; ${WHOLE}`],
  [{ seed: 'x' }, /^rsi: configuration key 'seed' is "x"; allowed: a whole number/],
  [{ preset: join(scratch, 'broken.json') }, /^rsi: preset file \/.*broken\.json is not JSON: /],
  [{ preset: join(scratch, 'list.json') }, /^rsi: preset file \/.*list\.json must hold one JSON object$/],
  [{ preset: './none.json' }, 'rsi: preset file ./none.json cannot be read (ENOENT)'],
  [set('foo'), 'rsi: --set foo is not of the form section.key=value'],
  [set('__proto__.x=1'), 'rsi: --set __proto__.x=1 is not of the form section.key=value'],
  [set('policyRefine.iteratons=3'), /^rsi: configuration key 'policyRefine\.iteratons'.*did you mean .*iterations'\?/],
  [set('policyRefine.actorLearningRate=NaN'), /^rsi: configuration key 'policyRefine\.actorLearningRate' is NaN;/],
  [set('stop.minutes=-5'), /^rsi: configuration key 'stop\.minutes' is -5; allowed: a number > 0/],
  [set('reward.partialScale=1'), /^rsi: configuration key 'reward\.partialScale' is 1; allowed: .*< 1/],
  [set('reward.partialScale=0.9'), /^rsi: reward order: got worst success 0\.8, best failure 0\.9;/],
  [set('policyRefine.gamma=0.9'), /^rsi: reward order: got gamma\^\(turnLimit-1\) \* \(1-c\) = 0\.34/],
  [set('tasks.families=["notez"]'), /^rsi: .*'notez'.* unknown; did you mean 'notes'\?/],
  [set('tasks.families=["migrate"]'), /^rsi: .*'tasks\.families' holds 'migrate', which exists only held out;/],
  [set('tasks.composition=notes'), /^rsi: .*'tasks\.composition' is 'notes', which is also trained on;/],
  [set('model.heads=5'), /^rsi: model\.dModel \d+ is not divisible by model\.heads 5;/],
];

for (const [options, expected] of OPTIONS) {
  test(`refused: ${JSON.stringify(options).replace(scratch, '')}`, () => {
    const lines: string[] = [];
    let code = 0;
    try {
      resolveConfig({ preset: 'demo', set: [], ...options }, 'native');
    } catch (error) {
      code = reportError(error, (line) => lines.push(line));
    }
    assert.equal(code, 2);
    assert.equal(lines.length, 1);
    if (typeof expected === 'string') assert.equal(lines[0], expected);
    else assert.match(lines[0] ?? '', expected);
    assert.doesNotMatch(lines[0] ?? '', /\n/);
  });
}

const COMMANDS: readonly (readonly [readonly string[], string | RegExp])[] = [
  [['demo', '--generations', '0'], `rsi: configuration key 'generations' is 0; ${WHOLE}`],
  [['demo', '--preset', 'demmo'], /^rsi: preset 'demmo' is unknown; did you mean 'demo'\? known: demo, /],
  [['demo', '--sed', '3'], "rsi: unknown option '--sed' (Did you mean one of --seed, --set?)"],
  [['demo', '--json', 'no/x.json'], 'rsi: --json no/x.json cannot be written (its folder does not exist)'],
  [['demo', '--out', 'list.json/x'], /^rsi: run folder list\.json\/x cannot be written \(.*list\.json is a file\)/],
  [['demmo'], "rsi: unknown command 'demmo' (Did you mean demo?)"],
  [['report', 'nowhere'], "rsi: run 'nowhere' does not exist; there are none yet"],
];

test('as a process: one line on stderr, no stack, exit code 2', { concurrency: 2 }, async (t) => {
  const cases = COMMANDS.map(([args, expected]) =>
    t.test(args.join(' '), async () => {
      const { code, stdout, stderr } = await runCli(args);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      if (typeof expected === 'string') assert.equal(stderr.trimEnd(), expected);
      else assert.match(stderr, expected);
      assert.deepEqual([code, stdout], [2, '']);
    }),
  );
  await Promise.all(cases);
});

test('a folder that cannot be written, or holds something else, is refused before anything runs', async () => {
  const wasm = { TERMINAL_RSI_BACKEND: 'wasm' };
  const [file, other] = await Promise.all([
    runCli(['demo', '--local', '--out', 'list.json/run'], { env: wasm }),
    runCli(['demo', '--local', '--out', 'other'], { env: wasm }),
  ]);
  assert.match(
    file.stderr,
    /^rsi: run folder list\.json\/run cannot be written \(.*list\.json is a file\); choose another with --out\n$/,
  );
  assert.match(other.stderr, /^rsi: run folder other holds other files and no run; .*\n$/);
  assert.deepEqual([file.code, other.code], [2, 2]);
});

test('help is a page on stdout and exits with 0; native shows its own', { concurrency: 2 }, async (t) => {
  const pages = [
    t.test('demo', async () => {
      const { code, stdout } = await runCli(['demo', '--help']);
      assert.equal(code, 0);
      assert.match(stdout, /^Usage: rsi demo .*--generations <n>.*--fresh/s);
    }),
    t.test('native', async () => {
      const { code, stdout } = await runCli(['native', '--help']);
      assert.equal(code, 0);
      assert.match(stdout, /--verify-only/);
    }),
  ];
  await Promise.all(pages);
});

test('plan prints the configuration that the options come to', async () => {
  const args = ['plan', '--json', '--seed', '5', '--set', 'reward.calibrate=false', '--preset', 'smoke'];
  const { code, stdout } = await runCli(args);
  const config = JSON.parse(stdout) as { seed: number; preset: string; reward: { calibrate: boolean } };
  assert.deepEqual([code, config.seed, config.preset, config.reward.calibrate], [0, 5, 'smoke', false]);
});
