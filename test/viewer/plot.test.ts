import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimal, duration, grouped, percent, pValue, signed } from '../../viewer/format.ts';
import { forestChart } from '../../viewer/plot/forest-chart.ts';
import { lineChart } from '../../viewer/plot/line-chart.ts';
import { niceScale } from '../../viewer/plot/scale.ts';

test('ticks are readable and cover the values', () => {
  const scale = niceScale([0.031, 0.118], [200, 0]);
  assert.ok(scale.domain[0] <= 0.031 && scale.domain[1] >= 0.118);
  assert.deepEqual(
    scale.ticks.map((tick) => tick.toFixed(scale.digits)),
    ['0.02', '0.04', '0.06', '0.08', '0.10', '0.12'],
  );
  assert.equal(scale(scale.domain[0]), 200);
});

for (const [name, values] of [
  ['no values', []],
  ['one value', [3]],
  ['only zeros', [0, 0]],
  ['negative values', [-2, -1]],
  ['tiny values', [1e-9, 3e-9]],
] as const) {
  test(`a scale never divides by zero: ${name}`, () => {
    const scale = niceScale(values, [0, 100]);
    assert.ok(scale.domain[1] > scale.domain[0]);
    assert.ok(scale.ticks.length >= 2 && scale.ticks.length < 12);
    for (const value of values) assert.ok(Number.isFinite(scale(value)));
  });
}

test('a line has a gap where nothing was measured, and points have tooltips', () => {
  const points = [0.1, 0.2, null, 0.4, 0.5].map((y, x) => ({ x, y }));
  const chart = lineChart({
    title: 't',
    yLabel: 'y',
    xLabel: 'x',
    xTicks: [],
    unit: 'share',
    series: [{ name: 's', colour: 'c1', points }],
  });
  assert.equal(/ d="([^"]*)"/.exec(chart.text)?.[1]?.match(/M/g)?.length, 2);
  assert.match(chart.text, /<title>s: 40\.0 %<\/title>/);
});

test('a forest has a row each, a whisker where there is an interval, and colour where an effect may be named', () => {
  const rows = [
    { name: 'two <b>', dots: [-4, -2], mean: -3, halfWidth: 12.7, named: false },
    { name: 'one', dots: [1], mean: 1, halfWidth: null, named: false },
    { name: 'none', dots: [], mean: null, halfWidth: null, named: false },
    { name: 'sure', dots: [-9, -9], mean: -9, halfWidth: 0, named: true },
  ];
  const { text } = forestChart({ title: 't', xLabel: 'x', rows });
  assert.equal(text.match(/class="whisker"/g)?.length, 2);
  assert.equal(text.match(/<circle/g)?.length, 5);
  assert.equal(text.match(/<path/g)?.length, 3);
  assert.equal(text.match(/fill:var\(--c1\)/g)?.length, 1);
  assert.match(text, /two &lt;b&gt;/);
  assert.doesNotMatch(text, /NaN|Infinity/);
  assert.match(forestChart({ title: 't', xLabel: 'x', rows: [] }).text, /nothing to compare/);
});

test('numbers are written for people, null as a dash', () => {
  assert.deepEqual([percent(0.785), percent(null), decimal(-0.001, 2), decimal(null)], ['78.5 %', '–', '0.00', '–']);
  assert.deepEqual([signed(3), signed(-3), signed(0), signed(-0.004, 2)], ['+3', '−3', '0', '0.00']);
  assert.deepEqual([pValue(1e-9), pValue(0.0123), pValue(0.5)], ['< 0.0001', '0.012', '0.50']);
  assert.deepEqual(
    [duration(59.6), duration(3725), duration(-4), grouped(1234567)],
    ['1:00', '1:02:05', '0:00', '1,234,567'],
  );
});
