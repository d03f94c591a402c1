/** Lines over numbered positions, with intervals, gaps where nothing was measured, and shaded ranges behind. */
import { element, type Markup } from '../html.ts';
import { decimal } from '../format.ts';
import { fill, label, legend, stroke, svg, textWidth, type Colour, type LegendEntry } from './frame.ts';
import { gridLine, isMeasured, pathOf, whisker, type Point, type Unit } from './marks.ts';
import { linearScale, niceScale, type Scale } from './scale.ts';

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
  /** 'share': drawn from 0 to 1, written as percent; 'percent': written so, drawn over what there is. */
  readonly unit?: Unit;
  /** Extends the axis to this value: 0 for counts. */
  readonly include?: readonly number[];
  /** Shaded ranges of x; one without width only makes room. */
  readonly bands?: readonly { readonly from: number; readonly to: number }[];
}

const LEFT = 52;
const RIGHT = 14;

export function lineChart(chart: LineChart): Markup {
  const { width = 520, height = 280, series, bands = [] } = chart;
  const entries = series.map(({ name, colour, dashed = false }): LegendEntry => ({ name, colour, dashed }));
  const keys = legend(series.length > 1 ? entries : [], LEFT, 12, width - LEFT - RIGHT);
  const top = keys.height + 26;
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
    label(LEFT, top - 10, chart.yLabel, 'start', 'axis'),
    ...y.ticks.map((tick) => gridLine(tick, y, LEFT, width - RIGHT, chart.unit)),
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

function bandMarkup(band: { from: number; to: number }, x: Scale, top: number, bottom: number): Markup | null {
  const [from, to] = [x(band.from), x(band.to)];
  if (to <= from) return null;
  return element('rect', { x: from, y: top, width: to - from, height: bottom - top, class: 'band' });
}

/** Leaves out labels that would run into the one before. */
function thinned(ticks: LineChart['xTicks'], x: Scale): LineChart['xTicks'] {
  const kept: LineChart['xTicks'][number][] = [];
  let free = -Infinity;
  for (const tick of ticks) {
    const half = textWidth(tick.label) / 2 + 3;
    if (x(tick.x) - half < free) continue;
    kept.push(tick);
    free = x(tick.x) + half;
  }
  return kept;
}

function seriesMarkup(series: Series, chart: LineChart, x: Scale, y: Scale): Markup {
  const { points, colour, dashed } = series;
  const drawn = points.filter(isMeasured);
  const path = pathOf(points, x, y);
  const radius = drawn.length > 40 ? 2.2 : 3.2;
  return element(
    'g',
    {},
    ...drawn.map((point) => whisker(point, x(point.x), colour, y)),
    path === ''
      ? null
      : element('path', { d: path, class: 'line', style: stroke(colour), 'stroke-dasharray': dashed ? '4 3' : null }),
    ...drawn.map((point) =>
      element(
        'circle',
        { cx: x(point.x), cy: y(point.y), r: radius, style: fill(colour), class: 'dot' },
        element('title', {}, point.title ?? `${series.name}: ${valueText(point.y, chart)}`),
      ),
    ),
  );
}

function valueText(value: number | null, { unit }: LineChart): string {
  return unit === 'share' || unit === 'percent' ? `${((value ?? 0) * 100).toFixed(1)} %` : decimal(value, 4);
}
