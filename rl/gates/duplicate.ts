// Gate 6 `duplicate`: the child repeats an ancestor or a sibling accepted before it. Called by accept-rewrites.ts.
// Same normalised command sequence; from 8 commands on also bigram Jaccard >= 0.95.
// Source: docs/formulas.md: ours.

import { bigramJaccard, normalizeCommands, sameSequence } from './normalize-commands.ts';

const NEAR_DUPLICATE_FROM = 8;
const NEAR_DUPLICATE_JACCARD = 0.95;

export interface DuplicateFinding {
  readonly duplicateOf: 'ancestor' | 'sibling' | null;
  readonly similarity: number; // largest bigram Jaccard met
}

/** `ancestors` include the parent; `siblings` are the accepted children of the same parent. Sequences as recorded. */
export function findDuplicate(
  commands: readonly string[],
  ancestors: readonly (readonly string[])[],
  siblings: readonly (readonly string[])[],
): DuplicateFinding {
  const own = normalizeCommands(commands);
  let similarity = 0;
  const repeats = (other: readonly string[]): boolean => {
    const theirs = normalizeCommands(other);
    const jaccard = bigramJaccard(own, theirs);
    similarity = Math.max(similarity, jaccard);
    const isLong = Math.min(own.length, theirs.length) >= NEAR_DUPLICATE_FROM;
    return sameSequence(own, theirs) || (isLong && jaccard >= NEAR_DUPLICATE_JACCARD);
  };
  // Both lists are walked to the end, so that `similarity` is the largest of all.
  const ofAncestor = ancestors.filter(repeats).length > 0;
  const ofSibling = siblings.filter(repeats).length > 0;
  return { duplicateOf: ofAncestor ? 'ancestor' : ofSibling ? 'sibling' : null, similarity };
}
