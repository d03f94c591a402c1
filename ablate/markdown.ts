/** Markdown as people read it raw too: tables with aligned columns, and a part between marks that regenerating keeps. */

/** The first column left, the others right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(3, title.length, ...rows.map((row) => (row[i] ?? '').length)));
  const pad = (text: string, i: number): string =>
    i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0);
  const line = (row: readonly string[]): string => `| ${head.map((_, i) => pad(row[i] ?? '', i)).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const OPEN = '<!-- reading: written by hand, kept when this file is made anew -->';
const CLOSE = '<!-- end of reading -->';

/** What a person wrote between the marks of a former text, with the marks; `otherwise` where there is none yet. */
export function keptReading(former: string | null, otherwise: string): string {
  const from = former?.indexOf(OPEN) ?? -1;
  const to = former?.indexOf(CLOSE) ?? -1;
  const kept = former !== null && from >= 0 && to > from ? former.slice(from + OPEN.length, to).trim() : otherwise;
  return `${OPEN}\n\n${kept}\n\n${CLOSE}`;
}
