/** The learning curve over the whole run. */
import { html } from '../html.ts';
import { learningCurve } from '../curve/learning-curve.ts';
import type { RunReport } from '../run-report.ts';
import { figure, section, type Section } from './parts.ts';

export function learningSection(report: RunReport): Section {
  return section(
    'learning',
    'Learning curve',
    'The whole run, stage by stage. Dots: batches of rollouts on fresh train tasks, sampled, by the policy as it was ' +
      'then; a self-rewrite stage begins with its only one. Rings: held-out tasks, sampled, at the end of a generation.',
    html`<div class="grid">
      ${figure({
        title: '',
        wide: true,
        chart: learningCurve([report]),
        note: 'Their numbers: During training, Critic, By generation.',
      })}
    </div>`,
  );
}
