/** The learning curve: where its points stand, what they say, and what it does with several runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curvePoints } from '../../viewer/curve/curve-points.ts';
import { learningCurve } from '../../viewer/curve/learning-curve.ts';
import { stageAxis } from '../../viewer/curve/stage-axis.ts';
import { standAlone } from '../../viewer/plot/stand-alone.ts';
import { runReport, type RunReport } from '../../viewer/run-report.ts';
import { anEmptyResult, aRunResult, extras } from './a-run-result.ts';

const report = runReport(aRunResult(2), extras());
const round = (value: number | null): number | null => (value === null ? null : Math.round(value * 1000) / 1000);
const withSeed = (seed: number): RunReport => ({ ...report, run: { ...report.run, seed } });

test('stages stand in the order of the run, numbered where a kind occurs twice, evaluations at the ends', () => {
  const slots = stageAxis(['self-rewrite', 'self-rewrite', 'policy-refine'], 2);
  const generation = ['self-rewrite 1', 'self-rewrite 2', 'policy-refine', 'evaluation'];
  assert.deepEqual(
    slots.map(({ name }) => name),
    ['warm start', 'critic warm-up', 'evaluation', ...generation, ...generation],
  );
  for (const [i, { from }] of slots.entries()) assert.equal(from, slots[i - 1]?.to ?? 0);
});

test('points lie within their stage, in order, and hold what was measured', () => {
  const slots = stageAxis(['self-rewrite', 'policy-refine'], 1);
  const one = runReport(aRunResult(1), extras());
  const room = slots.map(({ kind }) => (kind === 'policy-refine' ? 3 : 1));
  const { strict, partial, tokensPerTurn, explainedVariance, beforeHandoff, heldOut } = curvePoints(one, slots, room);
  const stageOf = (x: number): string | undefined => slots.find(({ from, to }) => from < x && x < to)?.name;
  assert.deepEqual(
    strict.map(({ x, y }) => [stageOf(x), y]),
    [
      ['critic warm-up', 0],
      ['self-rewrite', 0.25],
      // The handoff's batch, then the iterations.
      ['policy-refine', 0.25],
      ['policy-refine', 0.5],
      ['policy-refine', 0.75],
    ],
  );
  assert.ok(strict.every(({ x }, i) => x > (strict[i - 1]?.x ?? 0)));
  assert.deepEqual([...new Set(partial.map(({ y }) => round(y)))], [0.6]);
  assert.deepEqual([...new Set(tokensPerTurn.map(({ y }) => y))], [4]);
  // Not measured in the warm-up; a gap; after the handoff; not measured, then measured in the iterations.
  assert.deepEqual(explainedVariance.map(({ y }) => y), [null, null, 0.4, null, 0.5]); // prettier-ignore
  assert.deepEqual(beforeHandoff.map(({ x, y }) => [x, y]), [[strict[2]?.x, 0.2]]); // prettier-ignore
  assert.equal(explainedVariance.at(-1)?.x, strict.at(-1)?.x);
  assert.deepEqual(heldOut.strict.map(({ x, y }) => [stageOf(x), y]), [['evaluation', 0.25], ['evaluation', 0.75]]); // prettier-ignore
  assert.deepEqual(heldOut.partial.map(({ y }) => y), [0.375, 0.75]); // prettier-ignore
  assert.deepEqual(heldOut.tokensPerTurn.map(({ y }) => y), [4, 4]); // prettier-ignore
  assert.match(
    heldOut.strict[1]?.title ?? '',
    /^seed 7: strict, held-out tasks, sampled, generation 1: 3\/4, 75\.0 % \[/,
  );
});

test('the chart names stages, generations and rollbacks, and draws a boundary where a generation begins', () => {
  const { text } = learningCurve([report]);
  assert.match(text, />generation 1</);
  assert.match(text, />generation 2, rolled back</);
  assert.equal(text.match(/>policy-refine</g)?.length, 2);
  // Start and two generations: beside the names and through three panels; and three axes at zero.
  assert.ok((text.match(/<line [^>]*class="zero"/g)?.length ?? 0) >= 3 * 4);
  assert.doesNotMatch(text, /NaN|Infinity|undefined|seed 7</);
});

test('of several runs each has its dashes, and one that was shorter shares the positions of the others', () => {
  const short = { ...withSeed(8), training: report.training.filter(({ generation, iteration }) => generation < 2 && iteration === 0) }; // prettier-ignore
  const { text } = learningCurve([report, short, withSeed(9)]);
  for (const seed of [7, 8, 9]) assert.match(text, new RegExp(`>seed ${seed}<`));
  // A dashed and a dotted key, and as many lines of success, tokens and explained variance.
  for (const dash of ['6 3', '1.5 2.5']) assert.ok((text.match(new RegExp(`stroke-dasharray="${dash}"`, 'g'))?.length ?? 0) >= 4); // prettier-ignore
  assert.match(text, /rolled back: seed 7, 8, 9/);
  const centre = (run: string): string | undefined =>
    new RegExp(`<circle cx="([\\d.]+)"[^>]*><title>${run}: strict, generation 1, policy-refine, batch 1:`).exec(text)?.[1]; // prettier-ignore
  assert.ok(centre('seed 7') !== undefined);
  assert.equal(centre('seed 8'), centre('seed 7'));
});

test('runs of different stages have no axis in common, and no run at all is none', () => {
  const other = { ...report, config: { ...report.config, stages: ['policy-refine' as const] } };
  assert.throws(() => learningCurve([report, other]), { boundary: 'config', message: /different stages/ });
  assert.throws(() => learningCurve([]), { boundary: 'config' });
});

test('alone it is a whole SVG with paper and both palettes; nothing measured is said', () => {
  for (const one of [report, runReport(anEmptyResult(), extras()), runReport(aRunResult(0), extras())]) {
    const file = standAlone(learningCurve([one]));
    assert.match(file, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="900" height="\d+" viewBox="0 0 900 \d+"/);
    assert.match(file, /<style>:root\{.*@media \(prefers-color-scheme:dark\)/s);
    assert.doesNotMatch(file, /NaN|Infinity|undefined/);
  }
  assert.match(learningCurve([runReport(anEmptyResult(), extras())]).text, />nothing measured</);
});
