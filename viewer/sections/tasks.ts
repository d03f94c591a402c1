/** Where the gains are: by task family, by number of sub-goals, by position of the sub-goal within its task. */
import { wilsonInterval } from '../../rl/wilson.ts';
import type { Rates } from '../../training/rates.ts';
import { intervalText, percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { dumbbellChart, type DumbbellRow, type Share } from '../plot/dumbbell-chart.ts';
import type { EvaluationReport, SetReport } from '../report/evaluations.ts';
import type { RunReport } from '../run-report.ts';
import { generationName } from '../words.ts';
import { share } from './headline.ts';
import { figure, section, type Section } from './parts.ts';

export function tasksSection({ evaluations, end }: RunReport): Section {
  const start = evaluations[0];
  const last = evaluations.find(({ generation }) => generation === end.promotedGeneration) ?? start;
  const names = {
    before: 'start',
    after: end.promotedGeneration === 0 ? 'end' : generationName(end.promotedGeneration),
  };
  const draw = (title: string, xLabel: string, rows: readonly DumbbellRow[]): Markup =>
    figure({
      title,
      chart: dumbbellChart({ title, xLabel, rows, names }),
      data: {
        head: ['', names.before, '', names.after, ''],
        rows: rows.map(({ name, before, after }) => [name, ...cells(before), ...cells(after)]),
      },
    });
  const held = (report: EvaluationReport | undefined): SetReport | undefined => report?.sets['held-out-greedy'];
  const unseen = (report: EvaluationReport | undefined): SetReport | undefined => report?.sets['composition-greedy'];
  const families = [
    ...rateRows(held(start)?.byFamily, held(last)?.byFamily),
    ...rateRows(unseen(start)?.byFamily, unseen(last)?.byFamily).map((row) => ({
      ...row,
      name: `${row.name} (unseen)`,
    })),
  ];
  const counts = rateRows(held(start)?.bySubGoals, held(last)?.bySubGoals).map((row) => ({
    ...row,
    name: row.name === '1' ? '1 sub-goal' : `${row.name} sub-goals`,
  }));
  return section(
    'tasks',
    'By kind of task',
    'Held-out tasks, greedy decoding: start against the promoted end.',
    html`<div class="grid">
      ${draw('By family', 'strict success', families)}
      ${html`<div>
        ${draw('By number of sub-goals', 'strict success', counts)}
        <div style="height:30px"></div>
        ${draw('Sub-goals by position', 'sub-goals that hold at the end', positionRows(held(start), held(last)))}
      </div>`}
    </div>`,
  );
}

function rateRows(
  before: Readonly<Record<string, Rates>> = {},
  after: Readonly<Record<string, Rates>> = {},
): DumbbellRow[] {
  return namesOf(before, after).map((name) => {
    const [first, second] = [before[name], after[name]];
    return { name, before: first ? share(first) : null, after: second ? share(second) : null };
  });
}

function positionRows(before: SetReport | undefined, after: SetReport | undefined): DumbbellRow[] {
  const at = (report: SetReport | undefined, name: string): Share | null => {
    const cell = report?.byPosition[name];
    return cell === undefined ? null : { ...cell, interval: wilsonInterval(cell.passed, cell.n) };
  };
  const names = namesOf(before?.byPosition ?? {}, after?.byPosition ?? {}).sort(byCountThenPosition);
  return names.map((name) => ({ name, before: at(before, name), after: at(after, name) }));
}

/** "1 of 2" before "1 of 3". */
function byCountThenPosition(a: string, b: string): number {
  const key = (name: string): string => name.split(' of ').reverse().join(' ');
  return key(a) < key(b) ? -1 : 1;
}

function namesOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function cells(one: Share | null): string[] {
  if (one === null || one.n === 0) return ['–', ''];
  return [`${one.passed}/${one.n} (${percent(one.passed / one.n)})`, intervalText(one.interval)];
}
