// Gate 9 `leaks-parent`: the child uses what only the parent had seen. Called by accept-rewrites.ts.
// A word of a command that stands in the parent's observations, but neither in the plain prompt nor in the child's own
// earlier observations, would teach guessing: under the plain prompt nothing leads to it.
// Source: docs/formulas.md: ours. Program names are exempt: they are skill, and error messages repeat them (`cat: ...`).

import type { RewriteCandidate } from './candidate.ts';
import { dataParts, shellWords } from './shell-words.ts';

/** A bare name; a number in this place is no program (`$((42))`), a path is data. */
const PROGRAM_NAME = /^[A-Za-z_][\w.+-]*$/;

/** The leaked words in order, each once. Empty = the gate passes. */
export function findLeaks({ child, parent, plainPrompt }: RewriteCandidate): string[] {
  const parentSaw = new Set(parent.observations.flatMap((text) => text.split(/\s+/)).flatMap(dataParts));
  const leaked = new Set<string>();
  let known = plainPrompt;
  child.commands.forEach((command, i) => {
    for (const word of shellWords(command)) {
      if (word.isProgram && PROGRAM_NAME.test(word.text)) continue;
      for (const part of dataParts(word.text)) {
        if (parentSaw.has(part) && !standsIn(part, known)) leaked.add(part);
      }
    }
    known += `\n${child.observations[i] ?? ''}`;
  });
  return [...leaked];
}

/**
 * True if `word` occurs in `text` with no letter, digit or underscore right before or after it. Looser than the split
 * above: the child may name `notes` once it was told of `notes.txt`.
 */
export function standsIn(word: string, text: string): boolean {
  const isWordChar = (char: string): boolean => /[\p{L}\p{N}_]/u.test(char);
  for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + 1)) {
    const before = text.charAt(i - 1);
    const after = text.charAt(i + word.length);
    const opens = !isWordChar(before) || !isWordChar(word.charAt(0));
    const closes = !isWordChar(after) || !isWordChar(word.charAt(word.length - 1));
    if (opens && closes) return true;
  }
  return false;
}
