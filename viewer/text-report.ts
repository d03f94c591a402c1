/** The report as the terminal shows it at the end of a run: the movement table first, then the rates with intervals. */
import { TASK_STATES } from '../rl/movement-table.ts';
import { strictShare, type Rates } from '../training/rates.ts';
import { decimal, duration, intervalText, percent, pValue, signed } from './format.ts';
import type { Movement } from './report/movements.ts';
import type { RunReport } from './run-report.ts';
import { endSentence, generationName } from './words.ts';

export function textReport(report: RunReport, htmlPath: string | null): string {
  const { end, run, time, movement } = report;
  const outcome =
    end.promotedGeneration === 0 ? 'no generation was promoted' : `promoted: generation ${end.promotedGeneration}`;
  return [
    'Movement of the held-out tasks, greedy decoding (rows: before, columns: after)',
    '',
    ...(movement.perGeneration.length === 1 ? [] : movement.perGeneration.flatMap((one) => [...table(one, false), ''])),
    ...table(movement.total, true),
    '',
    ...headlineTable(report),
    '',
    ...conductTable(report),
    ...addedTasks(report),
    '',
    `Ended: ${endSentence(end)}; ${outcome}; ${duration(time.total)} of work.`,
    ...(htmlPath === null ? [] : [`Report: ${htmlPath}`]),
    `Content head: ${run.contentHead}`,
    ...(run.durable === null ? [] : [`Event head: ${run.durable.eventHead} (${run.durable.events} events)`]),
  ].join('\n');
}

function table(movement: Movement, isTotal: boolean): string[] {
  const { counts, gained, lost, net, p, noVerdict, from, to, promoted } = movement;
  const title = `${generationName(from)} → ${generationName(to)}`;
  const note = isTotal ? ' (start to end)' : promoted ? '' : ' (not promoted)';
  const cell = (value: string | number): string => String(value).padStart(9);
  return [
    `  ${title}${note}`,
    `  ${''.padEnd(8)}${TASK_STATES.map(cell).join('')}`,
    ...TASK_STATES.map(
      (before) => `  ${before.padEnd(8)}${TASK_STATES.map((after) => cell(counts[before][after])).join('')}`,
    ),
    `  gained ${gained}, lost ${lost}, net ${signed(net)}, McNemar p ${pValue(p)}${noVerdict > 0 ? `, no verdict ${noVerdict}` : ''}`,
  ];
}

/** "tidy: 1/8 [2.2-47.1 %] before generation 2; then 3/8 [...], 4/8 [...]" */
function addedTasks({ addedFamilies = [] }: RunReport): string[] {
  const cell = ({ strict, n, interval }: Rates): string => `${strict}/${n} [${intervalText(interval)}]`;
  const lines = addedFamilies.map(({ family, generation, atJoining, since }) => {
    const later = since.map(({ rates, promoted }) => `${cell(rates)}${promoted ? '' : ' (not promoted)'}`).join(', ');
    return `  ${family}: ${cell(atJoining)} before generation ${generation}; then ${later}`;
  });
  return lines.length === 0 ? [] : ['', 'Added tasks, held-out, sampled, strict success by generation', ...lines];
}

function headlineTable({ headlines, end }: RunReport): string[] {
  const after = end.promotedGeneration === 0 ? 'end (= start)' : `after ${generationName(end.promotedGeneration)}`;
  const rows = headlines.map(({ tasks, decoding, before, after: rates }) => [
    `${tasks}, ${decoding}`,
    `${before.strict}/${before.n}`,
    percent(strictShare(before)),
    `[${intervalText(before.interval)}]`,
    `${rates.strict}/${rates.n}`,
    percent(strictShare(rates)),
    `[${intervalText(rates.interval)}]`,
  ]);
  return [`Strict success with 95 % Wilson interval: start, then ${after}`, ...aligned(rows)];
}

/** What practice did where success could not grow. */
function conductTable({ headlines }: RunReport): string[] {
  const rows = headlines.map(({ tasks, decoding, solvedAtBothEnds: { tasks: n, before, after } }) => {
    const change = (measure: 'turns' | 'actionTokens' | 'failedCommands'): string =>
      `${decimal(before[measure])} → ${decimal(after[measure])}`;
    const measured = [change('turns'), change('actionTokens'), change('failedCommands')];
    return [`${tasks}, ${decoding}`, `${n}`, ...measured];
  });
  const head = ['solved at both ends', 'tasks', 'turns', 'tokens', 'failed commands'];
  return ['Per task that was solved at the start and is at the end', ...aligned([head, ...rows])];
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  ');
  return rows.map((row) => `  ${line(row)}`);
}
