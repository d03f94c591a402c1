/** Reads text leftmost-longest with the built-in pieces; what no piece begins is kept as single characters. */
import { VOCABULARY } from '../../tasks/builtin/vocabulary.ts';

const BY_LENGTH = [...VOCABULARY].sort((a, b) => b.length - a.length);

export interface Reading {
  readonly pieces: readonly string[];
  readonly unknown: readonly string[];
}

export function readPieces(text: string): Reading {
  const pieces: string[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1) {
    const piece = BY_LENGTH.find((candidate) => text.startsWith(candidate, at));
    if (piece === undefined) unknown.push(text.charAt(at));
    pieces.push(piece ?? text.charAt(at));
  }
  return { pieces, unknown };
}
