/** Rows, what they say over seeds, and the document made of them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { effectsOf, strictRate, verdictOf } from '../../ablate/effects.ts';
import { studyFigure } from '../../ablate/figure.ts';
import { markdownTable } from '../../ablate/markdown.ts';
import type { AblationRow } from '../../ablate/row.ts';
import { readRows, rowPath, storedRow, writeRow } from '../../ablate/rows.ts';
import { writeTable } from '../../ablate/sitting.ts';
import { configOf, variantNamed } from '../../ablate/study.ts';
import { mechanismStudy } from '../../ablate/variants.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import { aRow, withStrict } from './a-row.ts';

const study = mechanismStudy('demo');
const docs = mkdtempSync(join(tmpdir(), 'ablate-table-'));
after(() => rmSync(docs, { recursive: true }));

/** Strict of 100 by seed. */
function rowsOf(variant: string, strict: readonly number[]): AblationRow[] {
  return strict.map((count, seed) => withStrict(aRow(variant, seed), count));
}

test('a row says what the run reached, task by task and end to end', () => {
  const row = aRow();
  const [start, first] = row.generations.map(({ sets }) => sets['held-out-greedy']);
  assert.deepEqual([start?.strict, start?.partial, start?.n, first?.strict], [1, 1, 4, 3]);
  assert.deepEqual([row.movement.gained, row.movement.lost, row.movement.p], [2, 0, 0.5]);
  assert.deepEqual(row.solvedAtBothEnds['held-out-greedy'], {
    ...{ tasks: 1, turns: [3, 3], actionTokens: [12, 12], failedCommands: [1, 1] },
  });
  // Demonstrations are nobody's episodes; of time, what passed.
  assert.deepEqual([row.episodes, row.tokens, row.wallSeconds], [10, 200, 20]);
  assert.deepEqual(row.critic.map(({ when, generation }) => `${generation} ${when}`).slice(0, 4), [
    '0 warm-up',
    '1 handoff-before',
    '1 handoff-after',
    '1 iteration',
  ]);
});

test('differences are paired by seed, and named only where all agree and the interval excludes 0', () => {
  const rows = [
    ...rowsOf('base', [90, 92, 94]),
    ...rowsOf('no-rsr', [80, 82, 83]),
    ...rowsOf('no-fdr', [91, 92, 93]),
    ...rowsOf('no-spr', [70]),
  ];
  const [base, rsr, fdr, spr] = effectsOf(rows, strictRate('held-out'));
  assert.equal(base?.effect, null);
  assert.ok(Math.abs((base?.over.mean ?? 0) - 0.92) < 1e-12);
  assert.deepEqual(
    rsr?.differences?.map(({ difference }) => Math.round(difference * 100)),
    [-10, -10, -11],
  );
  // mean 31/3, s = 0.577, t(2) = 4.303: 1.434
  assert.ok(Math.abs((rsr?.effect?.halfWidth ?? 0) * 100 - 1.434) < 1e-3);
  const verdicts = [rsr, fdr, spr].map((one) => (one?.effect ? verdictOf(one.effect) : ''));
  assert.deepEqual(verdicts, ['**lower**', 'within noise', 'one seed says nothing']);
  // A seed that the base has not is compared with nothing.
  const alone = effectsOf([...rowsOf('base', [90]), withStrict(aRow('no-rsr', 5), 10)], strictRate('held-out'))[1];
  assert.deepEqual([alone?.differences, alone?.effect && verdictOf(alone.effect)], [[], 'no base to compare with']);
});

test('the document: tables of current rows, stale ones said, what a person wrote kept', () => {
  const config = (variant: string, seed: number): RunConfig =>
    configOf(study, variantNamed(study, variant), seed, 'native');
  const all = [...rowsOf('base', [90, 92, 94]), ...rowsOf('no-rsr', [80, 82, 83])];
  for (const row of all) {
    writeRow(join(docs, 'ablations'), { ...row, config: config(row.variant, row.seed) });
  }
  writeRow(join(docs, 'ablations'), { ...aRow('no-spr', 1), config: config('base', 1) });
  writeRow(join(docs, 'ablations'), { ...aRow('gone', 0), config: config('base', 0) });
  const said = writeTable(docs, [study, mechanismStudy('smoke')]);
  assert.equal(said.length, 3);
  assert.match(
    said.join('\n'),
    /stale row of demo, left out: no-spr, seed 1: made with reward\.successPrioritized true, today false/,
  );
  assert.match(said.join('\n'), /gone, seed 0: there is no such variant any more/);

  const path = join(docs, 'ablations.md');
  const text = readFileSync(path, 'utf8');
  assert.match(text, /\| base +\| 90\/100 \+3 \| 92\/100 \+3 \| 94\/100 \+3 \| 92\.0 ± 5\.0 \|/);
  assert.match(text, /\| no-rsr +\|.*\| −10\.3 ± 1\.4 \| −10\.0, −10\.0, −11\.0 \| +\*\*lower\*\* \|/);
  assert.match(text, /left out: no-spr, seed 1/);
  assert.doesNotMatch(text, /NaN|undefined|smoke|`no-fdr`/);
  assert.doesNotMatch(text, /Unseen composition/, 'nothing was played of it');
  const figure = readFileSync(join(docs, 'ablations/demo/differences.svg'), 'utf8');
  assert.match(figure, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="640" height="\d+" /);
  assert.match(text, /!\[[^\]]*\]\(ablations\/demo\/differences\.svg\)/);

  const written = text.replace('Nothing has been read out of these tables yet.', 'RSR carries it.');
  assert.notEqual(written, text);
  writeFileSync(path, written);
  writeTable(docs, [study]);
  assert.equal(readFileSync(path, 'utf8'), written);
});

test('rows are read in the order of the study; a torn one is named', () => {
  const folder = join(docs, 'ablations');
  const { current } = readRows(folder, study);
  assert.deepEqual(
    current.map(({ variant, seed }) => `${variant} ${seed}`),
    [...['base 0', 'base 1', 'base 2'], ...['no-rsr 0', 'no-rsr 1', 'no-rsr 2']],
  );
  const [row] = current;
  assert.ok(row);
  const { config } = row;
  assert.equal(storedRow(folder, 'demo', 'base', config)?.seed, 0);
  assert.equal(storedRow(folder, 'demo', 'base', { ...config, generations: 9 }), null);
  assert.equal(storedRow(folder, 'demo', 'base', { ...config, seed: 9 }), null);
  writeFileSync(rowPath(folder, 'demo', 'base', 0), '{"schema":');
  assert.throws(() => readRows(folder, study), /base-seed0\.json cannot be read \(.*\); remove it/);
});

test('a key that came after a row leaves it valid at its default alone', () => {
  const folder = join(docs, 'later-key');
  const config = configOf(study, variantNamed(study, 'base'), 0, 'native');
  const { successPrioritized, ...earlier } = config.reward;
  const made = { ...config, reward: earlier } as RunConfig;
  writeRow(folder, { ...aRow(), config: made });
  assert.ok(successPrioritized);
  assert.notEqual(storedRow(folder, 'demo', 'base', config), null);
  const without = { ...config, reward: { ...config.reward, successPrioritized: false } };
  assert.equal(storedRow(folder, 'demo', 'base', without), null);
});

test('a figure of one study without anything to compare is still a figure', () => {
  assert.match(studyFigure([aRow()]), /nothing to compare/);
  assert.doesNotMatch(studyFigure(rowsOf('base', [1, 2]).concat(rowsOf('no-rsr', [1, 2]))), /NaN/);
});

test('tables are aligned', () => {
  assert.equal(
    markdownTable(['a', 'number'], [['long name', '1']]),
    ['| a         | number |', '| --------- | -----: |', '| long name |      1 |'].join('\n'),
  );
});
