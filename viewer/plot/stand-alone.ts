/** A chart as a file of its own: outside of a page it brings its own style, light and dark, and its own paper. */
import type { Markup } from '../html.ts';
import { CHART_STYLE } from '../style.ts';

export function standAlone({ text }: Markup): string {
  const [, viewBox = ''] = /viewBox="([^"]*)"/.exec(text) ?? [];
  const [, , width = '0', height = '0'] = viewBox.split(' ');
  const paper = `<rect width="${width}" height="${height}" style="fill:var(--paper)"></rect>`;
  return `${text
    .replace('<svg ', `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" `)
    .replace('>', `><style>${CHART_STYLE}</style>${paper}`)}\n`;
}
