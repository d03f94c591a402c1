/** Policy-refine, iteration by iteration: losses, distance from the stage's start, entropy, clipping. */
import { decimal, percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { Colour } from '../plot/frame.ts';
import { lineChart } from '../plot/line-chart.ts';
import type { RefineReport } from '../report/refinements.ts';
import type { RunReport } from '../run-report.ts';
import { figure, section, table, type Section } from './parts.ts';
import { bandsOf, ticksOf } from './positions.ts';

const MEASURES: readonly {
  readonly title: string;
  readonly yLabel: string;
  readonly colour: Colour;
  readonly measure: (report: RefineReport) => number | null;
}[] = [
  { title: 'Mean reward', yLabel: 'reward per episode', colour: 'c3', measure: ({ meanReward }) => meanReward },
  { title: 'Policy loss', yLabel: 'loss per token', colour: 'c1', measure: ({ policyLoss }) => policyLoss },
  { title: 'Value loss', yLabel: 'loss per token', colour: 'c4', measure: ({ valueLoss }) => valueLoss },
  { title: "KL to the stage's start", yLabel: 'nats per token', colour: 'c2', measure: ({ kl }) => kl },
  { title: 'Entropy', yLabel: 'nats per token', colour: 'c7', measure: ({ entropy }) => entropy },
  { title: 'Clip fraction', yLabel: 'share of tokens', colour: 'c6', measure: ({ clipFraction }) => clipFraction },
];

export function refinementSection({ refinements }: RunReport): Section {
  const placed = refinements.map((one) => ({ ...one, stage: 'policy-refine' }));
  // Shading tells the stages apart, every other one.
  const bands = bandsOf(placed).filter(({ from, to }, i) => from === to || i % 2 === 0);
  const draw = ({ title, yLabel, colour, measure }: (typeof MEASURES)[number]): Markup =>
    figure({
      title,
      chart: lineChart({
        title,
        yLabel,
        xLabel: 'iteration',
        xTicks: ticksOf(placed),
        bands,
        include: [0],
        height: 220,
        series: [
          {
            name: title,
            colour,
            points: refinements.map((one, x) => ({
              x,
              y: measure(one),
              title: `${nameOf(one)}: ${decimal(measure(one), 5)}`,
            })),
          },
        ],
      }),
    });
  const stops = refinements.flatMap((one) => (one.stop === null ? [] : [`${nameOf(one)}: ${one.stop.reason}`]));
  const ended = stops.length === 0 ? '' : ` Ended early by a stop rule: ${stops.join('; ')}.`;
  return section(
    'refinement',
    'Policy refine',
    `PPO with the inherited critic; one point per iteration, stages shaded in turn.${ended}`,
    html`<div class="grid">${MEASURES.map(draw)}</div>`,
    html`<details>
      <summary>Numbers</summary>
      ${table({
        head: [
          'iteration',
          'episodes',
          'reward',
          'policy loss',
          'value loss',
          'EV',
          'KL',
          'KL in update',
          'entropy',
          'clipped',
          'gradient norm',
          'importance',
          'truncated',
          'equal rewards',
          'actor skipped',
        ],
        rows: refinements.map((one) => [
          nameOf(one),
          one.episodes,
          decimal(one.meanReward, 3),
          decimal(one.policyLoss, 4),
          decimal(one.valueLoss, 4),
          decimal(one.explainedVariance, 3),
          decimal(one.kl, 4),
          decimal(one.updateKl, 4),
          decimal(one.entropy, 4),
          percent(one.clipFraction, 2),
          decimal(one.gradientNorm, 3),
          decimal(one.importanceMean, 6),
          percent(one.importanceTruncated, 2),
          percent(one.equalRewardShare),
          one.skipped ?? '',
        ]),
      })}
    </details>`,
  );
}

function nameOf({ generation, stageIndex, iteration }: RefineReport): string {
  return `generation ${generation}, stage ${stageIndex + 1}, iteration ${iteration + 1}`;
}
