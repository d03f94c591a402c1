/** Lines over numbered positions, with intervals, gaps where nothing was measured, and shaded ranges behind. */
import { element, type Markup } from '../html.ts';
import { decimal } from '../format.ts';
import { fill, label, legend, stroke, svg, type Colour, type LegendEntry } from './frame.ts';
import { linearScale, niceScale, type Scale } from './scale.ts';

export interface Point {
  readonly x: number;
  /** Null: not measured; the line has a gap. */
  readonly y: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
  /** Tooltip; default: series, position, value. */
  readonly title?: string;
}

export interface Series {
  readonly name: string;
  readonly colour: Colour;
  readonly dashed?: boolean;
  readonly points: readonly Point[];
}

export interface LineChart {
  readonly title: string;
  readonly yLabel: string;
  readonly xLabel: string;
  readonly xTicks: readonly { readonly x: number; readonly label: string }[];
  readonly series: readonly Series[];
  readonly width?: number;
  readonly height?: number;
  /** Shares are drawn from 0 to 1 and written as percent. */
  readonly unit?: 'share' | 'number';
  /** Extends the axis to this value: 0 for counts. */
  readonly include?: readonly number[];
  /** Shaded ranges of x, with a name on top. */
  readonly bands?: readonly { readonly from: number; readonly to: number; readonly name: string }[];
}

const LEFT = 52;
const RIGHT = 14;

export function lineChart(chart: LineChart): Markup {
  const { width = 520, height = 280, series, bands = [] } = chart;
  const entries = series.map(({ name, colour, dashed = false }): LegendEntry => ({ name, colour, dashed }));
  const keys = legend(series.length > 1 ? entries : [], LEFT, 12, width - LEFT - RIGHT);
  const top = keys.height + 24 + (bands.some(({ name }) => name !== '') ? 14 : 0);
  const bottom = height + keys.height - 40;
  const x = xScale(chart, width);
  const y = yScale(chart, [bottom, top]);
  const measured = series.some(({ points }) => points.some((point) => point.y !== null));
  return svg(
    width,
    height + keys.height,
    `${chart.title}: ${chart.yLabel} by ${chart.xLabel}`,
    ...keys.markup,
    ...bands.map((band) => bandMarkup(band, x, top, bottom)),
    label(LEFT, top - (bands.length > 0 ? 22 : 9), chart.yLabel, 'start', 'axis'),
    ...y.ticks.map((tick) => gridLine(tick, y, width, chart.unit)),
    ...thinned(chart.xTicks, x).map((tick) => label(x(tick.x), bottom + 18, tick.label, 'middle')),
    label(width - RIGHT, bottom + 35, chart.xLabel, 'end', 'axis'),
    ...(measured
      ? series.map((one) => seriesMarkup(one, chart, x, y))
      : [label((LEFT + width) / 2, (top + bottom) / 2, 'nothing measured', 'middle', 'axis')]),
  );
}

function xScale({ xTicks, series, bands = [] }: LineChart, width: number): Scale {
  const all = [
    ...xTicks.map(({ x }) => x),
    ...series.flatMap(({ points }) => points.map(({ x }) => x)),
    ...bands.flatMap(({ from, to }) => [from, to]),
  ];
  const low = Math.min(...all);
  const high = Math.max(...all);
  // A single position stands in the middle.
  const isWide = all.length > 0 && high - low > 1e-9;
  const domain = isWide ? ([low, high] as const) : ([(low || 0) - 1, (low || 0) + 1] as const);
  const inset = bands.length > 0 ? 0 : 16;
  return linearScale(all.length === 0 ? [0, 1] : domain, [LEFT + inset, width - RIGHT - inset]);
}

function yScale({ series, unit, include = [] }: LineChart, range: readonly [number, number]): Scale {
  if (unit === 'share') return Object.assign(linearScale([0, 1], range), { ticks: [0, 0.25, 0.5, 0.75, 1] });
  const values = series.flatMap(({ points }) => points.flatMap(({ y, low, high }) => [y, low ?? null, high ?? null]));
  return niceScale([...values.filter((value) => value !== null), ...include], range, 4);
}

function gridLine(tick: number, y: Scale, width: number, unit: LineChart['unit']): Markup {
  const text = unit === 'share' ? `${Math.round(tick * 100)} %` : decimal(tick, y.digits);
  const isZero = Math.abs(tick) < 1e-12;
  return element(
    'g',
    {},
    element('line', { x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick), class: isZero ? 'zero' : 'grid' }),
    label(LEFT - 8, y(tick) + 4, text, 'end'),
  );
}

function bandMarkup(band: { from: number; to: number; name: string }, x: Scale, top: number, bottom: number): Markup {
  const [from, to] = [x(band.from), x(band.to)];
  return element(
    'g',
    {},
    element('rect', { x: from, y: top, width: Math.max(0, to - from), height: bottom - top, class: 'band' }),
    band.name === '' ? null : label((from + to) / 2, top - 6, band.name, 'middle'),
  );
}

/** Every nth label when they would run into each other. */
function thinned(ticks: LineChart['xTicks'], x: Scale): LineChart['xTicks'] {
  const first = ticks[0];
  const second = ticks[1];
  if (first === undefined || second === undefined) return ticks;
  const widest = Math.max(...ticks.map(({ label: text }) => text.length)) * 7 + 8;
  const every = Math.max(1, Math.ceil(widest / Math.max(1, Math.abs(x(second.x) - x(first.x)))));
  return ticks.filter((_, i) => i % every === 0);
}

function seriesMarkup(series: Series, chart: LineChart, x: Scale, y: Scale): Markup {
  const { points, colour, dashed } = series;
  const runs: Point[][] = [[]];
  for (const point of points) {
    if (point.y === null) runs.push([]);
    else runs.at(-1)?.push(point);
  }
  const drawn = runs.flat();
  const path = runs
    .filter((run) => run.length > 1)
    .map((run) => run.map((point, i) => `${i === 0 ? 'M' : 'L'}${at(x(point.x))} ${at(y(point.y as number))}`).join(''))
    .join('');
  const radius = drawn.length > 40 ? 2.2 : 3.2;
  return element(
    'g',
    {},
    ...drawn.map((point) => whisker(point, colour, x, y)),
    path === ''
      ? null
      : element('path', { d: path, class: 'line', style: stroke(colour), 'stroke-dasharray': dashed ? '4 3' : null }),
    ...drawn.map((point) =>
      element(
        'circle',
        { cx: x(point.x), cy: y(point.y as number), r: radius, style: fill(colour), class: 'dot' },
        element('title', {}, point.title ?? `${series.name}: ${valueText(point.y, chart)}`),
      ),
    ),
  );
}

function whisker({ x: px, low, high }: Point, colour: Colour, x: Scale, y: Scale): Markup | null {
  if (low === undefined || low === null || high === undefined || high === null) return null;
  return element('line', { x1: x(px), x2: x(px), y1: y(low), y2: y(high), class: 'whisker', style: stroke(colour) });
}

function valueText(value: number | null, { unit }: LineChart): string {
  return unit === 'share' ? `${((value ?? 0) * 100).toFixed(1)} %` : decimal(value, 4);
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}
