/** The calibration maps: what raw progress stood for in each family, and whether that held a generation later. */
import { decimal, shortDigest } from '../format.ts';
import { html } from '../html.ts';
import { curveChart } from '../plot/curve-chart.ts';
import type { RunReport } from '../run-report.ts';
import { figure, section, table, type Section } from './parts.ts';

export function calibrationSection({ calibrations, config }: RunReport): Section {
  const families = [...new Set(calibrations.flatMap(({ families: maps }) => maps.map(({ family }) => family)))];
  const lastGeneration = calibrations.at(-1)?.generation ?? 0;
  const figures = families.map((family) => {
    const curves = calibrations.flatMap(({ generation, families: maps }) =>
      maps
        .filter((map) => map.family === family)
        .map(({ curve }) => ({
          name: `fitted after generation ${generation}`,
          colour: 'c1' as const,
          strength: generation === lastGeneration ? 1 : 0.28,
          points: curve,
        })),
    );
    return figure({
      title: family,
      chart: curveChart({
        title: `Calibration of ${family}`,
        xLabel: 'raw progress',
        yLabel: 'calibrated progress',
        curves,
      }),
    });
  });
  const off = config.reward.calibrate ? '' : ' In this run calibration was off: the maps were fitted, but not used.';
  return section(
    'calibration',
    'Calibration',
    'Per family, a monotone map from raw progress to the odds of finishing, fitted on one generation and frozen for the ' +
      `next. Strong: the latest; faint: earlier ones; dotted: no change.${off}`,
    html`<div class="grid small">${figures}</div>`,
    html`<h3 style="margin-top:30px">Expected calibration error</h3>`,
    table({
      head: ['rollouts of', 'episodes', 'raw progress', 'maps that scored them', 'map fitted then'],
      rows: calibrations.map(({ generation, episodes, errorOfRaw, errorOfFormerMaps, digest }) => [
        `generation ${generation}`,
        episodes,
        decimal(errorOfRaw, 3),
        decimal(errorOfFormerMaps, 3),
        html`<code>${shortDigest(digest)}</code>`,
      ]),
    }),
  );
}
