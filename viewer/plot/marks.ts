/** What lines over positions are drawn with: paths with gaps, whiskers, grid lines. */
import { element, type Markup } from '../html.ts';
import { decimal } from '../format.ts';
import { label, stroke, type Colour } from './frame.ts';
import type { Scale } from './scale.ts';

export interface Point {
  readonly x: number;
  /** Null: not measured; the line has a gap. */
  readonly y: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
  /** Tooltip; default: series, position, value. */
  readonly title?: string;
}

export type Unit = 'share' | 'percent' | 'number';

export function isMeasured(point: Point): point is Point & { readonly y: number } {
  return point.y !== null;
}

/** One subpath for each run of measured points; empty where no two are neighbours. */
export function pathOf(points: readonly Point[], x: Scale, y: Scale): string {
  const runs: (Point & { readonly y: number })[][] = [[]];
  for (const point of points) {
    if (isMeasured(point)) runs.at(-1)?.push(point);
    else runs.push([]);
  }
  return runs
    .filter((run) => run.length > 1)
    .map((run) => run.map((point, i) => `${i === 0 ? 'M' : 'L'}${at(x(point.x))} ${at(y(point.y))}`).join(''))
    .join('');
}

export function whisker({ low, high }: Point, px: number, colour: Colour, y: Scale): Markup | null {
  if (low === undefined || low === null || high === undefined || high === null) return null;
  return element('line', { x1: px, x2: px, y1: y(low), y2: y(high), class: 'whisker', style: stroke(colour) });
}

export function gridLine(tick: number, y: Scale, left: number, right: number, unit: Unit = 'number'): Markup {
  const text = unit === 'number' ? decimal(tick, y.digits) : `${decimal(tick * 100, Math.max(0, y.digits - 2))} %`;
  const isZero = Math.abs(tick) < 1e-12;
  return element(
    'g',
    {},
    element('line', { x1: left, x2: right, y1: y(tick), y2: y(tick), class: isZero ? 'zero' : 'grid' }),
    label(left - 8, y(tick) + 4, text, 'end'),
  );
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}
