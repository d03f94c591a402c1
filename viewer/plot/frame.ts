/** What all charts share: the svg element with its accessible name, the legend, and how text is measured. */
import { element, type Content, type Markup } from '../html.ts';

/** A palette entry of the style sheet: --c1 ... --c12, or --strict, --partial, --none. */
export type Colour = `c${number}` | 'strict' | 'partial' | 'none';

export interface LegendEntry {
  readonly name: string;
  readonly colour: Colour;
  readonly dashed?: boolean;
  /** Of its own instead. */
  readonly dash?: string;
  /** 'line' (default), 'box', 'ring'. */
  readonly mark?: 'line' | 'box' | 'ring';
}

/** Average advance of a 12 px interface font; only legends and labels depend on it, with room to spare. */
const CHARACTER = 6.4;
export const LINE_HEIGHT = 18;

export function textWidth(text: string): number {
  return text.length * CHARACTER;
}

export function fill(colour: Colour): string {
  return `fill:var(--${colour})`;
}

export function stroke(colour: Colour): string {
  return `stroke:var(--${colour})`;
}

export function svg(width: number, height: number, name: string, ...children: readonly Content[]): Markup {
  return element(
    'svg',
    { viewBox: `0 0 ${width} ${Math.round(height)}`, role: 'img', 'aria-label': name, class: 'chart' },
    ...children,
  );
}

export function label(
  x: number,
  y: number,
  text: string,
  anchor: 'start' | 'middle' | 'end',
  className = 'tick',
): Markup {
  return element('text', { x, y, 'text-anchor': anchor, class: className }, text);
}

/** Entries flow into as many lines as they need; `height` is what they take. */
export function legend(
  entries: readonly LegendEntry[],
  x0: number,
  y0: number,
  width: number,
): { markup: Markup[]; height: number } {
  let x = x0;
  let line = 0;
  const markup = entries.map((entry) => {
    const needs = 26 + textWidth(entry.name) + 14;
    if (x > x0 && x + needs > x0 + width) {
      x = x0;
      line += 1;
    }
    const y = y0 + line * LINE_HEIGHT;
    const drawn = element('g', {}, swatch(entry, x, y), label(x + 26, y + 4, entry.name, 'start', 'legend'));
    x += needs;
    return drawn;
  });
  return { markup, height: entries.length === 0 ? 0 : (line + 1) * LINE_HEIGHT };
}

function swatch({ colour, dashed, dash, mark = 'line' }: LegendEntry, x: number, y: number): Markup {
  if (mark === 'box') return element('rect', { x: x + 8, y: y - 5, width: 11, height: 11, rx: 2, style: fill(colour) });
  if (mark === 'ring') return element('circle', { cx: x + 13, cy: y, r: 4.5, class: 'ring', style: stroke(colour) });
  return element(
    'g',
    {},
    element('line', {
      x1: x,
      x2: x + 20,
      y1: y,
      y2: y,
      class: 'line',
      style: stroke(colour),
      'stroke-dasharray': dash ?? (dashed ? '4 3' : null),
    }),
    element('circle', { cx: x + 10, cy: y, r: 3, style: fill(colour) }),
  );
}
