/** The headline numbers: strict success with intervals, start against end. */
import { strictShare, type Rates } from '../../training/rates.ts';
import { decimal, intervalText, percent, pValue, signed } from '../format.ts';
import type { Content } from '../html.ts';
import { html } from '../html.ts';
import { dumbbellChart } from '../plot/dumbbell-chart.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import { figure, section, table, type Section } from './parts.ts';

export function headlineSection(report: RunReport): Section {
  const { headlines, end } = report;
  const after = end.promotedGeneration === 0 ? 'end (nothing promoted)' : generationName(end.promotedGeneration);
  const rows = headlines.map(({ tasks, decoding, before, after: rates, moves }): Content[] => [
    `${tasks}, ${decoding}`,
    ...cells(before),
    ...cells(rates),
    signed(moves.net),
    pValue(moves.p),
    `${decimal(before.partialMean)} → ${decimal(rates.partialMean)}`,
    `${decimal(before.turns)} → ${decimal(rates.turns)}`,
  ]);
  const conduct = headlines.map(({ tasks, decoding, solvedAtBothEnds: both }): Content[] => [
    `${tasks}, ${decoding}`,
    `${both.tasks}`,
    ...(['turns', 'actionTokens', 'failedCommands'] as const).map(
      (measure) => `${decimal(both.before[measure])} → ${decimal(both.after[measure])}`,
    ),
  ]);
  const chart = dumbbellChart({
    title: 'Strict success',
    xLabel: 'strict success',
    width: 1080,
    names: { before: 'start', after },
    rows: headlines.map(({ tasks, decoding, before, after: rates }) => ({
      name: `${tasks}, ${decoding}`,
      before: share(before),
      after: share(rates),
    })),
  });
  return section(
    'headline',
    'Strict success',
    'Held-out tasks are of the trained families and were never learnt from; the unseen composition is a family that ' +
      'training never sees. They decide nothing. Intervals: Wilson, 95 %.',
    table({
      head: ['tasks', 'start', '', '', after, '', '', 'net', 'p', 'partial mean', 'turns'],
      rows,
    }),
    html`<div class="grid">${figure({ title: '', chart, wide: true })}</div>`,
    html`<p>Per task that was solved at the start and is at the end, where success can no longer grow:</p>`,
    table({ head: ['solved at both ends', 'tasks', 'turns', 'tokens', 'failed commands'], rows: conduct }),
  );
}

export function share({ n, strict, interval }: Rates) {
  return { n, passed: strict, interval };
}

function cells(rates: Rates): Content[] {
  return [
    `${rates.strict}/${rates.n}`,
    percent(strictShare(rates)),
    html`<span class="soft">${intervalText(rates.interval)}</span>`,
  ];
}
