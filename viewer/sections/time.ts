/** Where the time went, in all and by generation. */
import { duration, percent } from '../format.ts';
import { html } from '../html.ts';
import type { Colour } from '../plot/frame.ts';
import { stackedBars } from '../plot/stacked-bars.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import { WORK_KINDS, WORK_NAMES, type WorkKind } from '../work-kinds.ts';
import { figure, section, type Section } from './parts.ts';

const COLOURS: Readonly<Record<WorkKind, Colour>> = {
  demonstrations: 'c8',
  sampling: 'c1',
  updates: 'c3',
  evaluation: 'c4',
  other: 'c12',
};

export function timeSection({ time }: RunReport): Section {
  const values = (byKind: Readonly<Record<WorkKind, number>>): number[] => WORK_KINDS.map((kind) => byKind[kind]);
  return section(
    'time',
    'Time',
    `${duration(time.total)} of work, over all sessions. Where kinds of work ran beside each other, the time is shared equally.`,
    html`<div class="grid">
      ${figure({
        title: 'Time by kind of work',
        wide: true,
        chart: stackedBars({
          title: 'Time by kind of work',
          parts: WORK_KINDS.map((kind) => ({ name: WORK_NAMES[kind], colour: COLOURS[kind] })),
          bars: [
            { name: 'whole run', values: values(time.byKind) },
            ...time.byGeneration.map(({ generation, byKind }) => ({
              name: generationName(generation),
              values: values(byKind),
            })),
          ],
          format: duration,
        }),
        data: {
          head: ['kind of work', 'time', 'share'],
          rows: WORK_KINDS.map((kind) => [
            WORK_NAMES[kind],
            duration(time.byKind[kind]),
            percent(time.total === 0 ? null : time.byKind[kind] / time.total),
          ]),
        },
      })}
    </div>`,
  );
}
