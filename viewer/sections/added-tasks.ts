/** Families that a person brought into the run: each from where it joined on. Left out where none did. */
import { strictShare, type Rates } from '../../training/rates.ts';
import { decimal, intervalText, percent } from '../format.ts';
import { html, type Content } from '../html.ts';
import { lineChart } from '../plot/line-chart.ts';
import type { Point } from '../plot/marks.ts';
import type { AddedFamilyReport } from '../report/added-families.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import { figure, section, table, type Section } from './parts.ts';

export function addedTasksSection({ addedFamilies = [] }: RunReport): Section[] {
  if (addedFamilies.length === 0) return [];
  const rows = addedFamilies.flatMap(({ family, generation, atJoining, since }): Content[][] => [
    [family, `joined with generation ${generation}: before`, ...cells(atJoining)],
    ...since.map(({ generation: later, promoted, rates }) => [
      family,
      `after generation ${later}${promoted ? '' : ' (not promoted)'}`,
      ...cells(rates),
    ]),
  ]);
  return [
    section(
      'added-tasks',
      'Added tasks',
      'Task families that a person brought into the running run, on held-out tasks of their own, sampled, the same in ' +
        'all generations: where the policy stood before anything was trained on them, and after each generation since. ' +
        'Intervals: Wilson, 95 %.',
      html`<div class="grid">${addedFamilies.map(chartOf)}</div>`,
      table({ head: ['family', 'policy', 'strict', '', '', 'partial mean'], rows, text: [1] }),
    ),
  ];
}

function chartOf({ family, generation, atJoining, since }: AddedFamilyReport) {
  const points = [
    pointOf(generation - 1, 'before', atJoining),
    ...since.map((one) => pointOf(one.generation, generationName(one.generation), one.rates)),
  ];
  const xTicks = points.map(({ x }) => ({ x, label: x < generation ? 'before' : String(x) }));
  const title = `${family}: strict success`;
  const series = [{ name: family, colour: 'c1' as const, points }];
  return figure({
    title,
    chart: lineChart({ title, xLabel: 'generation', yLabel: 'strict', unit: 'share', xTicks, series }),
  });
}

function pointOf(x: number, name: string, rates: Rates): Point {
  const { strict, n, interval } = rates;
  const title = `${name}: ${strict}/${n}, ${percent(strictShare(rates))} [${intervalText(interval)}]`;
  return { x, y: strictShare(rates), low: interval?.low ?? null, high: interval?.high ?? null, title };
}

function cells(rates: Rates): Content[] {
  const interval = html`<span class="soft">${intervalText(rates.interval)}</span>`;
  return [`${rates.strict}/${rates.n}`, percent(strictShare(rates)), interval, decimal(rates.partialMean)];
}
