/** Panels under each other over one axis of named ranges: lines, and rings for what was measured at a range's end. */
import { element, type Markup } from '../html.ts';
import { fill, label, legend, LINE_HEIGHT, stroke, svg, textWidth, type Colour, type LegendEntry } from './frame.ts';
import { gridLine, isMeasured, pathOf, whisker, type Point, type Unit } from './marks.ts';
import { linearScale, niceScale, type Scale } from './scale.ts';

export interface PanelChart {
  readonly title: string;
  /** Next to each other, in order: what happens there. */
  readonly ranges: readonly PanelRange[];
  /** Several ranges each; a line is drawn where one begins. */
  readonly groups: readonly { readonly from: number; readonly to: number; readonly names: readonly string[] }[];
  readonly panels: readonly Panel[];
  /** What holds for all panels. */
  readonly keys: readonly LegendEntry[];
  readonly width?: number;
}

export interface PanelRange {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly shaded: boolean;
}

export interface Panel {
  readonly title: string;
  /** Of the plot itself. */
  readonly height: number;
  readonly unit?: Unit;
  /** Extends the axis to these values. */
  readonly include?: readonly number[];
  readonly keys: readonly LegendEntry[];
  readonly series: readonly PanelSeries[];
}

export interface PanelSeries {
  readonly colour: Colour;
  readonly points: readonly Point[];
  readonly mark: 'line' | 'ring';
  /** One of several runs: thinner, and told apart by its dashes. */
  readonly thin: boolean;
  readonly dash?: string;
  /** To the side, in pixels: rings of several runs on one position. */
  readonly shift?: number;
}

const LEFT = 52;
const RIGHT = 14;
const GAP = 18;
/** Below this a range is too narrow for the height of a line of text. */
const NARROW = 13;

export function panelChart(chart: PanelChart): Markup {
  const { title, ranges, groups, panels, keys, width = 900 } = chart;
  const x = linearScale([ranges[0]?.from ?? 0, ranges.at(-1)?.to ?? 1], [LEFT, width - RIGHT]);
  const common = legend(keys, LEFT, 12, width - LEFT - RIGHT);
  const groupsY = common.height + 14;
  let top = groupsY + 12;
  const boxes = panels.map((panel) => {
    const from = LEFT + textWidth(panel.title) + 18;
    const head = legend(panel.keys, from, top + 8, width - RIGHT - from);
    const box = { panel, head: head.markup, titleY: top + 12, top: top + Math.max(LINE_HEIGHT, head.height) + 8 };
    top = box.top + panel.height + GAP;
    return box;
  });
  const bottom = top - GAP;
  const names = rangeNames(ranges, x, bottom);
  // Through the plots and beside the names, but not through what stands above a plot.
  const boundaries = (from: number, to: number): Markup[] =>
    groups.map((group) => {
      const at = x(group.from);
      return element('line', { x1: at, x2: at, y1: from, y2: to, class: 'zero' });
    });
  return svg(
    width,
    bottom + names.height,
    `${title}: ${panels.map((panel) => panel.title).join(', ')} by stage`,
    ...common.markup,
    ...groupNames(groups, x, groupsY),
    ...boxes.flatMap(({ panel, top: y }) => ranges.map((range) => band(range, x, y, panel.height))),
    ...boundaries(groupsY - 10, groupsY + 4),
    ...boxes.flatMap(({ panel, top: y }) => boundaries(y, y + panel.height)),
    ...boxes.map(({ panel, head, titleY, top: y }) =>
      element('g', {}, label(LEFT, titleY, panel.title, 'start', 'row'), ...head, ...plot(panel, x, y, width)),
    ),
    ...names.markup,
  );
}

function plot({ series, unit, include = [], height }: Panel, x: Scale, top: number, width: number): Markup[] {
  const y = yScale({ series, include, ...(unit && { unit }) }, [top + height, top]);
  const isEmpty = series.every(({ points }) => points.every((point) => !isMeasured(point)));
  return [
    ...y.ticks.map((tick) => gridLine(tick, y, LEFT, width - RIGHT, unit)),
    ...(isEmpty ? [label((LEFT + width) / 2, top + height / 2, 'nothing measured', 'middle', 'axis')] : []),
    ...series.map((one) => (one.mark === 'ring' ? rings(one, x, y) : line(one, x, y))),
  ];
}

function yScale(
  { series, unit, include = [] }: Pick<Panel, 'series' | 'unit' | 'include'>,
  range: readonly [number, number],
): Scale {
  if (unit === 'share') return Object.assign(linearScale([0, 1], range), { ticks: [0, 0.25, 0.5, 0.75, 1] });
  const values = series.flatMap(({ points }) => points.filter(isMeasured).map((point) => point.y));
  return niceScale([...values, ...include], range, 3);
}

function line({ colour, points, thin, dash }: PanelSeries, x: Scale, y: Scale): Markup {
  const path = pathOf(points, x, y);
  return element(
    'g',
    {},
    path === ''
      ? null
      : element('path', {
          ...{ d: path, class: 'line', 'stroke-dasharray': dash ?? null },
          style: `${stroke(colour)}${thin ? ';stroke-width:1.2' : ''}`,
        }),
    ...points
      .filter(isMeasured)
      .map((point) =>
        element(
          'circle',
          { cx: x(point.x), cy: y(point.y), r: thin ? 1.7 : 2.6, style: fill(colour), class: 'dot' },
          element('title', {}, point.title ?? ''),
        ),
      ),
  );
}

function rings({ colour, points, thin, shift = 0 }: PanelSeries, x: Scale, y: Scale): Markup {
  return element(
    'g',
    {},
    ...points.filter(isMeasured).flatMap((point) => {
      const px = x(point.x) + shift;
      const circle = { cx: px, cy: y(point.y), r: thin ? 3.4 : 4.5, class: 'ring', style: stroke(colour) };
      return [whisker(point, px, colour, y), element('circle', circle, element('title', {}, point.title ?? ''))];
    }),
  );
}

function band({ from, to, shaded }: PanelRange, x: Scale, top: number, height: number): Markup | null {
  if (!shaded) return null;
  return element('rect', { x: x(from), y: top, width: x(to) - x(from), height, class: 'band' });
}

/** The longest name that fits; none where even the shortest does not. */
function groupNames(groups: PanelChart['groups'], x: Scale, y: number): (Markup | null)[] {
  return groups.map(({ from, to, names }) => {
    const name = names.find((one) => textWidth(one) + 8 <= x(to) - x(from));
    return name === undefined ? null : label(x(from) + 5, y, name, 'start', 'axis');
  });
}

/** Across where all fit, else upright, else left out. */
function rangeNames(ranges: readonly PanelRange[], x: Scale, bottom: number): { markup: Markup[]; height: number } {
  const room = ({ from, to }: PanelRange): number => x(to) - x(from);
  const middle = ({ from, to }: PanelRange): number => (x(from) + x(to)) / 2;
  if (ranges.every((range) => textWidth(range.name) + 6 <= room(range))) {
    return { markup: ranges.map((range) => label(middle(range), bottom + 18, range.name, 'middle')), height: 28 };
  }
  const shown = ranges.filter((range) => room(range) >= NARROW);
  const turned = shown.map((range) => {
    const at = `${(middle(range) + 4).toFixed(1)} ${bottom + 8}`;
    return element(
      'text',
      { transform: `translate(${at}) rotate(-90)`, 'text-anchor': 'end', class: 'tick' },
      range.name,
    );
  });
  return { markup: turned, height: 14 + Math.max(0, ...shown.map(({ name }) => textWidth(name))) };
}
