/** Rates by evaluation point: the start and every generation, promoted or not; and what was decided after each. */
import type { EvaluationSet } from '../../training/evaluate.ts';
import { strictShare } from '../../training/rates.ts';
import { decimal, intervalText, percent, pValue } from '../format.ts';
import { html } from '../html.ts';
import type { Colour } from '../plot/frame.ts';
import { lineChart, type Series } from '../plot/line-chart.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import { figure, section, table, type Section } from './parts.ts';

const SETS: readonly {
  readonly set: EvaluationSet;
  readonly name: string;
  readonly colour: Colour;
  readonly dashed: boolean;
}[] = [
  { set: 'held-out-greedy', name: 'held-out, greedy', colour: 'c1', dashed: false },
  { set: 'held-out', name: 'held-out, sampled', colour: 'c1', dashed: true },
  { set: 'composition-greedy', name: 'unseen composition, greedy', colour: 'c2', dashed: false },
  { set: 'composition', name: 'unseen composition, sampled', colour: 'c2', dashed: true },
];

export function generationsSection(report: RunReport): Section {
  const ticks = report.evaluations.map(({ generation }) => ({
    x: generation,
    label: generation === 0 ? 'start' : String(generation),
  }));
  const common = { xLabel: 'generation', xTicks: ticks, unit: 'share' } as const;
  return section(
    'generations',
    'By generation',
    'Every generation is evaluated, whether it is promoted or not. Bars are Wilson intervals.',
    html`<div class="grid">
      ${figure({
        title: 'Strict success',
        chart: lineChart({ ...common, title: 'Strict success', yLabel: 'strict', series: strictSeries(report) }),
        data: strictNumbers(report),
      })}
      ${figure({
        title: 'Partial credit',
        chart: lineChart({
          ...common,
          title: 'Partial credit',
          yLabel: 'mean share of checks',
          series: partialSeries(report),
        }),
        note: 'Mean progress of all tasks with a verdict; a strict success counts as 1.',
      })}
    </div>`,
    html`<h3 style="margin-top:34px">Promotion, on the selection tasks</h3>`,
    promotionTable(report),
  );
}

function strictSeries({ evaluations }: RunReport): Series[] {
  return SETS.map(({ set, name, colour, dashed }) => ({
    name,
    colour,
    dashed,
    points: evaluations.map(({ generation, sets }) => {
      const { rates } = sets[set];
      const title = `${name}, ${generationName(generation)}: ${rates.strict}/${rates.n}, ${percent(strictShare(rates))} [${intervalText(rates.interval)}]`;
      // Whiskers of four series on one position would hide each other: greedy held-out and greedy composition have them.
      const interval = dashed ? null : rates.interval;
      return { x: generation, y: strictShare(rates), low: interval?.low ?? null, high: interval?.high ?? null, title };
    }),
  }));
}

function partialSeries({ evaluations }: RunReport): Series[] {
  return SETS.map(({ set, name, colour, dashed }) => ({
    name,
    colour,
    dashed,
    points: evaluations.map(({ generation, sets }) => ({ x: generation, y: sets[set].rates.partialMean })),
  }));
}

function strictNumbers({ evaluations }: RunReport) {
  return {
    head: ['generation', ...SETS.flatMap(({ name }) => [name, 'interval'])],
    rows: evaluations.map(({ generation, sets }) => [
      generationName(generation),
      ...SETS.flatMap(({ set }) => {
        const { rates } = sets[set];
        return [`${rates.strict}/${rates.n} (${percent(strictShare(rates))})`, intervalText(rates.interval)];
      }),
    ]),
  };
}

function promotionTable({ promotions, evaluations }: RunReport) {
  const start = evaluations[0];
  const rows = promotions.map((one) => [
    generationName(one.generation),
    one.promoted ? (one.newBest ? 'promoted, new best' : 'promoted') : `rolled back: ${one.reason}`,
    percent(one.candidateRate),
    percent(one.bestRate),
    one.gained,
    one.lost,
    pValue(one.p),
    decimal(one.klToStart, 3),
  ]);
  const first = start === undefined ? null : percent(strictShare(start.sets.selection.rates));
  return table({
    head: [
      'generation',
      'decision',
      'strict',
      'best so far',
      'gained',
      'lost',
      'p (one-sided)',
      'KL to start, nats/token',
    ],
    rows: [['start', 'starting point', first, null, null, null, null, null], ...rows],
    text: [1],
  });
}
