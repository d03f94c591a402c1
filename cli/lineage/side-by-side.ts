/** Two columns of text beside each other, long lines wrapped; a mark between them. */
import { printable } from './printable.ts';

export type Columns = (left: string, right: string, mark?: string) => string[];

const LEAST = 24;

/** Columns of equal width that fill `width` characters. */
export function sideBySide(width: number): Columns {
  const column = Math.max(LEAST, Math.floor((width - 3) / 2));
  return (left, right, mark = '|') => {
    const [lefts, rights] = [wrap(left, column), wrap(right, column)];
    return Array.from({ length: Math.max(lefts.length, rights.length) }, (_, i) =>
      `${(lefts[i] ?? '').padEnd(column)} ${mark} ${rights[i] ?? ''}`.trimEnd(),
    );
  };
}

function wrap(text: string, column: number): string[] {
  return text.split('\n').flatMap((line) => {
    const shown = printable(line.replaceAll('\t', '  '));
    const pieces: string[] = [];
    for (let from = 0; from < shown.length || from === 0; from += column) pieces.push(shown.slice(from, from + column));
    return pieces;
  });
}
