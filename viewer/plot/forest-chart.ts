/** Differences with their intervals, one row each, around zero: a dot per seed, a diamond and a whisker for their mean. */
import { element, type Markup } from '../html.ts';
import { signed } from '../format.ts';
import { fill, label, stroke, svg, textWidth, type Colour } from './frame.ts';
import { niceScale, type Scale } from './scale.ts';

export interface ForestRow {
  readonly name: string;
  /** In the unit of the axis. */
  readonly dots: readonly number[];
  /** Null without dots. */
  readonly mean: number | null;
  /** Null for fewer than two dots: no whisker. */
  readonly halfWidth: number | null;
  /** Drawn in colour: an effect that may be named. */
  readonly named: boolean;
}

export interface ForestChart {
  readonly title: string;
  readonly xLabel: string;
  readonly rows: readonly ForestRow[];
  readonly width?: number;
}

const ROW = 30;
const TOP = 34;
const RIGHT = 66;

export function forestChart({ title, xLabel, rows, width = 640 }: ForestChart): Markup {
  const left = Math.min(width / 2, 24 + Math.max(0, ...rows.map(({ name }) => textWidth(name))));
  const bottom = TOP + Math.max(1, rows.length) * ROW;
  const ends = rows.flatMap(({ dots, mean, halfWidth }) =>
    mean === null ? dots : [...dots, mean - (halfWidth ?? 0), mean + (halfWidth ?? 0)],
  );
  const x = niceScale([0, ...ends], [left, width - RIGHT], 6);
  return svg(
    width,
    bottom + 42,
    `${title}: ${xLabel}`,
    label(left - 12, 16, title, 'start', 'row'),
    ...x.ticks.map((tick) => {
      const isZero = Math.abs(tick) < 1e-12;
      return element(
        'g',
        {},
        element('line', { x1: x(tick), x2: x(tick), y1: TOP, y2: bottom, class: isZero ? 'zero' : 'grid' }),
        label(x(tick), bottom + 18, signed(tick, x.digits), 'middle'),
      );
    }),
    label(width - RIGHT, bottom + 36, xLabel, 'end', 'axis'),
    ...(rows.length === 0 ? [label(width / 2, TOP + ROW / 2, 'nothing to compare', 'middle', 'axis')] : []),
    ...rows.map((row, i) => rowMarkup(row, x, TOP + (i + 0.5) * ROW, left, width)),
  );
}

function rowMarkup(row: ForestRow, x: Scale, y: number, left: number, width: number): Markup {
  const { name, dots, mean, halfWidth, named } = row;
  const colour: Colour = named ? 'c1' : 'c5';
  return element(
    'g',
    {},
    label(left - 12, y + 4, name, 'end', 'row'),
    mean === null || halfWidth === null
      ? null
      : element('line', {
          ...{ x1: x(mean - halfWidth), x2: x(mean + halfWidth), y1: y, y2: y },
          ...{ class: 'whisker', style: stroke(colour) },
        }),
    ...dots.map((dot) =>
      element(
        'circle',
        { cx: x(dot), cy: y, r: 3, class: 'ring', style: stroke(colour) },
        element('title', {}, `${name}: ${signed(dot, 2)}`),
      ),
    ),
    mean === null ? null : diamond(x(mean), y, colour),
    label(width - RIGHT + 10, y + 4, signed(mean, 1), 'start', 'row'),
  );
}

function diamond(x: number, y: number, colour: Colour): Markup {
  const at = (dx: number, dy: number): string => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`;
  return element('path', { d: `M${at(-5, 0)}L${at(0, -6)}L${at(5, 0)}L${at(0, 6)}Z`, style: fill(colour) });
}
