/** Curves in the unit square against the diagonal: calibration maps, the latest drawn strongest. */
import { element, type Markup } from '../html.ts';
import { decimal } from '../format.ts';
import { label, stroke, svg, type Colour } from './frame.ts';
import { linearScale } from './scale.ts';

export interface CurveChart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly curves: readonly {
    readonly name: string;
    readonly colour: Colour;
    /** 0 to 1. */
    readonly strength: number;
    readonly points: readonly (readonly [number, number])[];
  }[];
}

const SIZE = 250;
const LEFT = 40;

export function curveChart({ title, xLabel, yLabel, curves }: CurveChart): Markup {
  const x = linearScale([0, 1], [LEFT, SIZE - 12]);
  const y = linearScale([0, 1], [SIZE - 44, 30]);
  const ticks = [0, 0.5, 1];
  return svg(
    SIZE,
    SIZE,
    `${title}: ${yLabel} by ${xLabel}`,
    label(LEFT, 16, yLabel, 'start', 'axis'),
    ...ticks.map((tick) =>
      element(
        'g',
        {},
        element('line', { x1: x(0), x2: x(1), y1: y(tick), y2: y(tick), class: 'grid' }),
        element('line', { x1: x(tick), x2: x(tick), y1: y(0), y2: y(1), class: 'grid' }),
        label(LEFT - 6, y(tick) + 4, String(tick), 'end'),
        label(x(tick), y(0) + 17, String(tick), 'middle'),
      ),
    ),
    label(SIZE - 12, SIZE - 8, xLabel, 'end', 'axis'),
    element('line', { x1: x(0), x2: x(1), y1: y(0), y2: y(1), class: 'diagonal' }),
    ...curves.map(({ name, colour, strength, points }) =>
      element(
        'g',
        { opacity: String(strength) },
        element('path', {
          d: points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join(''),
          class: 'line',
          style: stroke(colour),
        }),
        ...points.map(([px, py]) =>
          element(
            'circle',
            { cx: x(px), cy: y(py), r: 3, style: `fill:var(--${colour})` },
            element('title', {}, `${name}: ${decimal(px, 3)} → ${decimal(py, 3)}`),
          ),
        ),
      ),
    ),
  );
}
