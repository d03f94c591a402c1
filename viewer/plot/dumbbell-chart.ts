/** Shares before and after, one row each: a ring where it started, a dot where it ended, with their intervals. */
import { element, type Markup } from '../html.ts';
import type { Interval } from '../../rl/wilson.ts';
import { intervalText, percent } from '../format.ts';
import { fill, label, legend, stroke, svg, textWidth, type Colour } from './frame.ts';
import { linearScale, type Scale } from './scale.ts';

export interface Share {
  readonly n: number;
  readonly passed: number;
  readonly interval: Interval | null;
}

export interface DumbbellRow {
  readonly name: string;
  readonly before: Share | null;
  readonly after: Share | null;
}

export interface DumbbellChart {
  readonly title: string;
  readonly xLabel: string;
  readonly rows: readonly DumbbellRow[];
  readonly names: { readonly before: string; readonly after: string };
  readonly width?: number;
}

const ROW = 34;
const COLOURS: Readonly<Record<'before' | 'after', Colour>> = { before: 'c5', after: 'c1' };

export function dumbbellChart({ title, xLabel, rows, names, width = 520 }: DumbbellChart): Markup {
  const left = Math.min(width / 2, 20 + Math.max(0, ...rows.map(({ name }) => textWidth(name))));
  const right = 52;
  const entries = [
    { name: names.before, colour: COLOURS.before, mark: 'ring' as const },
    { name: names.after, colour: COLOURS.after },
  ];
  const keys = legend(entries, left, 12, width - left);
  const top = keys.height + 10;
  const bottom = top + Math.max(1, rows.length) * ROW;
  const x = linearScale([0, 1], [left, width - right]);
  return svg(
    width,
    bottom + 42,
    `${title}: ${xLabel}, before and after`,
    ...keys.markup,
    ...[0, 0.25, 0.5, 0.75, 1].map((tick) =>
      element(
        'g',
        {},
        element('line', { x1: x(tick), x2: x(tick), y1: top, y2: bottom, class: tick === 0 ? 'zero' : 'grid' }),
        label(x(tick), bottom + 18, `${tick * 100} %`, 'middle'),
      ),
    ),
    label(width - right, bottom + 36, xLabel, 'end', 'axis'),
    ...(rows.length === 0 ? [label(width / 2, top + ROW / 2, 'nothing measured', 'middle', 'axis')] : []),
    ...rows.map((row, i) => rowMarkup(row, names, x, top + (i + 0.5) * ROW, left)),
  );
}

function rowMarkup(row: DumbbellRow, names: DumbbellChart['names'], x: Scale, y: number, left: number): Markup {
  const before = shareOf(row.before);
  const after = shareOf(row.after);
  const moved = before !== null && after !== null;
  return element(
    'g',
    {},
    label(left - 12, y + 4, row.name, 'end', 'row'),
    moved ? element('line', { x1: x(before), x2: x(after), y1: y, y2: y, class: 'shift' }) : null,
    mark(row.before, `${row.name}, ${names.before}`, 'before', x, y - 4),
    mark(row.after, `${row.name}, ${names.after}`, 'after', x, y + 4),
    label(x(1) + 10, y + 4, after === null ? '–' : percent(after, 0), 'start', 'row'),
  );
}

function mark(share: Share | null, name: string, side: 'before' | 'after', x: Scale, y: number): Markup | null {
  const value = shareOf(share);
  if (share === null || value === null) return null;
  const colour = COLOURS[side];
  const { interval } = share;
  const title = `${name}: ${share.passed}/${share.n}, ${percent(value)} [${intervalText(interval)}]`;
  return element(
    'g',
    {},
    interval === null
      ? null
      : element('line', {
          x1: x(interval.low),
          x2: x(interval.high),
          y1: y,
          y2: y,
          class: 'whisker',
          style: stroke(colour),
        }),
    element(
      'circle',
      side === 'before'
        ? { cx: x(value), cy: y, r: 4.5, class: 'ring', style: stroke(colour) }
        : { cx: x(value), cy: y, r: 4.5, style: fill(colour) },
      element('title', {}, title),
    ),
  );
}

function shareOf(share: Share | null): number | null {
  return share === null || share.n === 0 ? null : share.passed / share.n;
}
