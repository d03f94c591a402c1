/** How the policy acted on train tasks while it learnt: turns, failed commands, limits; and all numbers of the batches. */
import { decimal, percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { Colour } from '../plot/frame.ts';
import { lineChart } from '../plot/line-chart.ts';
import type { TrainingReport } from '../report/training-rollouts.ts';
import type { RunReport } from '../run-report.ts';
import { figure, section, table, type Section } from './parts.ts';
import { bandsOf, ticksOf } from './positions.ts';

type Measure = (report: TrainingReport) => number | null;

export function trainingSection({ training }: RunReport): Section {
  const axis = { xLabel: 'batch of rollouts', xTicks: ticksOf(training), bands: bandsOf(training) } as const;
  const line = (name: string, colour: Colour, measure: Measure) => ({
    name,
    colour,
    points: training.map((report, x) => ({
      x,
      y: measure(report),
      title: `${name}, ${nameOf(report)}: ${decimal(measure(report), 3)}`,
    })),
  });
  const single = (title: string, yLabel: string, colour: Colour, measure: Measure, note?: string): Markup =>
    figure({
      title,
      chart: lineChart({ ...axis, title, yLabel, include: [0], series: [line(yLabel, colour, measure)], height: 220 }),
      ...(note === undefined ? {} : { note }),
    });
  return section(
    'training',
    'During training',
    'Plain rollouts on fresh train tasks, sampled: each point is one batch, in order. Shaded: policy-refine stages with ' +
      'the rollouts of their critic handoff; between them: the rollouts that self-rewrite stages begin with.',
    html`<div class="grid">
      ${single('Turns', 'turns per episode', 'c1', ({ turns }) => turns)}
      ${single('Failed commands', 'failed commands per episode', 'c6', ({ failedCommands }) => failedCommands)}
      ${figure({
        title: 'Limits',
        chart: lineChart({
          ...axis,
          title: 'Limits',
          yLabel: 'share',
          unit: 'percent',
          include: [0],
          height: 220,
          series: [
            line('episodes ended at a limit', 'c2', ({ endedAtLimit }) => endedAtLimit),
            line('turns cut at their token limit', 'c7', ({ cutTurns }) => cutTurns),
          ],
        }),
      })}
    </div>`,
    html`<details>
      <summary>Numbers, with rates and tokens per turn</summary>
      ${table(numbers(training))}
    </details>`,
  );
}

function strictOf({ strict, n }: TrainingReport): number | null {
  return n === 0 ? null : strict / n;
}

function nameOf({ generation, stage, step, iteration }: TrainingReport): string {
  return `generation ${generation}, ${stage}${step === 'handoff-rollout' ? ' handoff' : ` ${iteration + 1}`}`;
}

function numbers(training: readonly TrainingReport[]) {
  return {
    head: [
      'batch',
      'episodes',
      'no verdict',
      'strict',
      'partial mean',
      'turns',
      'tokens/turn',
      'failed',
      'at limit',
      'cut turns',
    ],
    rows: training.map((report) => [
      nameOf(report),
      report.n,
      report.noVerdict,
      `${report.strict} (${percent(strictOf(report))})`,
      percent(report.partialMean),
      decimal(report.turns),
      decimal(report.tokensPerTurn),
      decimal(report.failedCommands),
      percent(report.endedAtLimit),
      percent(report.cutTurns),
    ]),
  };
}
