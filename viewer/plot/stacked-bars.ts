/** Horizontal bars made of parts, each bar on the same scale; empty bars keep their place. */
import { element, type Markup } from '../html.ts';
import { fill, label, legend, svg, textWidth, type Colour } from './frame.ts';
import { linearScale } from './scale.ts';

export interface BarPart {
  readonly name: string;
  readonly colour: Colour;
}

export interface StackedBars {
  readonly title: string;
  readonly parts: readonly BarPart[];
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** How an amount is written. */
  readonly format: (value: number) => string;
  readonly width?: number;
}

const ROW = 30;

export function stackedBars({ title, parts, bars, format, width = 1080 }: StackedBars): Markup {
  const left = 20 + Math.max(0, ...bars.map(({ name }) => textWidth(name)));
  const totals = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const right = 16 + Math.max(0, ...totals.map((total) => textWidth(format(total))));
  const used = parts.filter((_, part) => bars.some(({ values }) => (values[part] ?? 0) > 0));
  const keys = legend(
    used.map(({ name, colour }) => ({ name, colour, mark: 'box' as const })),
    left - 8,
    12,
    width - left,
  );
  const top = keys.height + 12;
  const x = linearScale([0, Math.max(1e-9, ...totals)], [left, width - right]);
  const rows = bars.map(({ name, values }, row) => {
    const y = top + row * ROW;
    let from = 0;
    const segments = values.map((value, part) => {
      const start = from;
      from += value;
      return segment(parts[part] as BarPart, value, x(start), x(from), y, format);
    });
    return element(
      'g',
      {},
      label(left - 10, y + 16, name, 'end', 'row'),
      ...segments,
      label(x(from) + 8, y + 16, format(totals[row] ?? 0), 'start', 'row'),
    );
  });
  const nothing = bars.length === 0 ? [label(width / 2, top + 16, 'nothing to show', 'middle', 'axis')] : [];
  return svg(width, top + Math.max(1, bars.length) * ROW + 6, title, ...keys.markup, ...rows, ...nothing);
}

function segment(
  { name, colour }: BarPart,
  value: number,
  from: number,
  to: number,
  y: number,
  format: (value: number) => string,
): Markup | null {
  if (value <= 0) return null;
  const text = format(value);
  const fits = to - from > textWidth(text) + 6;
  return element(
    'g',
    {},
    element(
      'rect',
      { x: from, y, width: Math.max(0.5, to - from - 1), height: ROW - 8, style: fill(colour) },
      element('title', {}, `${name}: ${text}`),
    ),
    fits ? label((from + to) / 2, y + 16, text, 'middle', 'inside') : null,
  );
}
