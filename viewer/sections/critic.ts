/** The critic: how much of the returns' variance it explains, at warm-up, before and after each handoff, per iteration. */
import { decimal } from '../format.ts';
import { html } from '../html.ts';
import { lineChart } from '../plot/line-chart.ts';
import type { CriticReport } from '../report/refinements.ts';
import type { RunReport } from '../run-report.ts';
import { figure, section, type Section } from './parts.ts';
import { ticksOf } from './positions.ts';

const NAMES: Readonly<Record<CriticReport['when'], string>> = {
  'warm-up': 'warm-up, on its probe set',
  'handoff-before': 'handoff, before re-calibration',
  'handoff-after': 'handoff, after re-calibration',
  iteration: 'iterations, before the update',
};
const COLOURS = { 'warm-up': 'c4', 'handoff-before': 'c6', 'handoff-after': 'c3', iteration: 'c1' } as const;

export function criticSection({ critic, config }: RunReport): Section {
  const warmUp = critic.find(({ when }) => when === 'warm-up');
  const series = (['warm-up', 'handoff-before', 'handoff-after', 'iteration'] as const).map((when) => ({
    name: NAMES[when],
    colour: COLOURS[when],
    points: critic.map((one, x) => ({
      x,
      y: one.when === when ? one.explainedVariance : null,
      title: `${nameOf(one)}: ${decimal(one.explainedVariance, 3)}`,
    })),
  }));
  const gate = warmUp?.gate === 'reached' ? 'reached' : 'not reached within the budget';
  return section(
    'critic',
    'Critic',
    `Explained variance of the returns: 1 is perfect, 0 no better than their mean. The warm-up's gate of ` +
      `${config.warmUpCritic.minExplainedVariance} was ${gate}.`,
    html`<div class="grid">
      ${figure({
        title: 'Explained variance',
        wide: true,
        chart: lineChart({
          title: 'Explained variance',
          yLabel: 'explained variance',
          xLabel: 'measurement',
          xTicks: ticksOf(critic),
          include: [0, 1],
          bands: [
            { from: -0.5, to: -0.5 },
            { from: critic.length - 0.5, to: critic.length - 0.5 },
          ],
          width: 1080,
          height: 280,
          series,
        }),
        data: {
          head: ['measurement', 'explained variance', 'value loss'],
          rows: critic.map((one) => [nameOf(one), decimal(one.explainedVariance, 3), decimal(one.loss, 4)]),
        },
      })}
    </div>`,
  );
}

function nameOf({ generation, stageIndex, when, iteration }: CriticReport): string {
  if (when === 'warm-up') return NAMES[when];
  const name = when === 'iteration' ? `iteration ${iteration + 1}` : NAMES[when];
  return `generation ${generation}, stage ${stageIndex + 1}: ${name}`;
}
