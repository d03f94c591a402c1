/** The critic: how much of the returns' variance it explains, at warm-up, before and after each handoff, per iteration. */
import { decimal } from '../format.ts';
import { html } from '../html.ts';
import type { CriticReport } from '../report/refinements.ts';
import type { RunReport } from '../run-report.ts';
import { section, table, type Section } from './parts.ts';

const NAMES: Readonly<Record<CriticReport['when'], string>> = {
  'warm-up': 'warm-up, on its probe set',
  'handoff-before': 'handoff, before re-calibration',
  'handoff-after': 'handoff, after re-calibration',
  iteration: 'iterations, before the update',
};

export function criticSection({ critic, config }: RunReport): Section {
  const warmUp = critic.find(({ when }) => when === 'warm-up');
  const gate = warmUp?.gate === 'reached' ? 'reached' : 'not reached within the budget';
  return section(
    'critic',
    'Critic',
    `Explained variance of the returns: 1 is perfect, 0 no better than their mean. The warm-up's gate of ` +
      `${config.warmUpCritic.minExplainedVariance} was ${gate}. Drawn in the learning curve.`,
    html`<details>
      <summary>Numbers</summary>
      ${table({
        head: ['measurement', 'explained variance', 'value loss'],
        rows: critic.map((one) => [nameOf(one), decimal(one.explainedVariance, 3), decimal(one.loss, 4)]),
      })}
    </details>`,
  );
}

function nameOf({ generation, stageIndex, when, iteration }: CriticReport): string {
  if (when === 'warm-up') return NAMES[when];
  const name = when === 'iteration' ? `iteration ${iteration + 1}` : NAMES[when];
  return `generation ${generation}, stage ${stageIndex + 1}: ${name}`;
}
