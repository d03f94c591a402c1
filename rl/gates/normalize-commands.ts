// Normal form of a command sequence and its bigram similarity. Called by the duplicate and length gates.
// Normalise: trim, collapse blanks, drop empty. Jaccard = |A and B| / |A or B| over sets of adjacent command pairs.
// Source: docs/formulas.md, gate 6: ours.

export function normalizeCommands(commands: readonly string[]): string[] {
  // Newlines inside a command separate its lines, so they are no blanks.
  return commands.map((c) => c.trim().replace(/[^\S\n]+/g, ' ')).filter((c) => c !== '');
}

/** Of normalised sequences; 0 if either has fewer than two commands. */
export function bigramJaccard(a: readonly string[], b: readonly string[]): number {
  const left = bigrams(a);
  const right = bigrams(b);
  if (left.size === 0 || right.size === 0) return 0;
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return shared / (left.size + right.size - shared);
}

export function sameSequence(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((command, i) => command === b[i]);
}

function bigrams(commands: readonly string[]): Set<string> {
  return new Set(commands.slice(1).map((command, i) => JSON.stringify([commands[i], command])));
}
