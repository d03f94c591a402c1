/** Where the time went, in all and by generation; of what was played, how much of it in sandboxes. */
import { duration, NONE, percent } from '../format.ts';
import { html } from '../html.ts';
import { stackedBars, type BarPart } from '../plot/stacked-bars.ts';
import type { TimeReport, TimeShares } from '../report/time-shares.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import { WORK_KINDS, WORK_NAMES } from '../work-kinds.ts';
import { figure, section, type Section } from './parts.ts';

interface Part extends BarPart {
  readonly of: (shares: TimeShares) => number;
}

/** Kinds in which a policy plays stand in two parts. */
const PARTS: readonly Part[] = [
  { name: 'demonstrations', colour: 'c8', of: ({ byKind }) => byKind.demonstrations },
  { name: 'sampling', colour: 'c1', of: ({ byKind, sandbox }) => byKind.sampling - sandbox.sampling },
  { name: 'sandboxes of sampling', colour: 'c7', of: ({ sandbox }) => sandbox.sampling },
  { name: 'updates', colour: 'c3', of: ({ byKind }) => byKind.updates },
  { name: 'evaluation', colour: 'c4', of: ({ byKind, sandbox }) => byKind.evaluation - sandbox.evaluation },
  { name: 'sandboxes of evaluation', colour: 'c9', of: ({ sandbox }) => sandbox.evaluation },
  { name: 'storage', colour: 'c2', of: ({ byKind }) => byKind.storage },
  { name: 'other', colour: 'c12', of: ({ byKind }) => byKind.other },
];

export function timeSection({ time }: RunReport): Section {
  const values = (shares: TimeShares): number[] => PARTS.map(({ of }) => of(shares));
  return section(
    'time',
    'Time',
    `${duration(time.total)} of work, over all sessions. Where kinds of work ran beside each other, the time is shared ` +
      `equally. Sandboxes: the part of the playing in which commands were executed and checks probed.${caveat(time)}`,
    html`<div class="grid">
      ${figure({
        title: 'Time by kind of work',
        wide: true,
        chart: stackedBars({
          title: 'Time by kind of work',
          parts: PARTS,
          bars: [
            { name: 'whole run', values: values(time) },
            ...time.byGeneration.map((one) => ({ name: generationName(one.generation), values: values(one) })),
          ],
          format: duration,
        }),
        data: numbers(time),
      })}
    </div>`,
  );
}

function numbers({ total, byKind, sandbox, notMeasured }: TimeReport) {
  return {
    head: ['kind of work', 'time', 'share', 'of it in sandboxes', 'share of the kind'],
    rows: WORK_KINDS.map((kind) => {
      const isPlayed = sandbox[kind] > 0 && !notMeasured.includes('sandbox');
      const isMissing = kind === 'storage' && notMeasured.includes('storage');
      return [
        WORK_NAMES[kind],
        isMissing ? NONE : duration(byKind[kind]),
        percent(isMissing || total === 0 ? null : byKind[kind] / total),
        isPlayed ? duration(sandbox[kind]) : NONE,
        percent(isPlayed ? sandbox[kind] / byKind[kind] : null),
      ];
    }),
  };
}

/** A run of an earlier version, or one that such a version began. */
function caveat({ total, notMeasured }: TimeReport): string {
  if (total === 0 || notMeasured.length === 0) return '';
  return ` Not all records of this run tell what went by in ${notMeasured.join(' and ')}: counted as far as they do.`;
}
