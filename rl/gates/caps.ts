// Gates 10-11: per-task-cap and family-share, over those that passed gates 1-9. Called by accept-rewrites.ts.
// per-task-cap: the best children of a task and round by turns, tokens, failed commands, id; 10 per task in the replay.
// family-share: at most 2/F of the round's survivors, in order of (parent, sample); at least one child a family.
// Source: docs/formulas.md: ours.

import type { GateOptions, RewriteCandidate } from './candidate.ts';

export interface Capped {
  readonly rank: number; // 1 = first
  readonly cap: number;
  readonly passes: boolean;
}

export function perTaskCap(
  survivors: readonly RewriteCandidate[],
  options: Pick<GateOptions, 'perTaskCap' | 'liveCap' | 'liveInReplay'>,
): Map<RewriteCandidate, Capped> {
  const live = options.liveInReplay ?? {};
  return rankWithin(
    [...survivors].sort(compareQuality),
    (candidate) => candidate.taskId,
    (taskId) => Math.max(0, Math.min(options.perTaskCap ?? 1, (options.liveCap ?? 10) - (live[taskId] ?? 0))),
  );
}

/** `survivors` in order of (parent, sample). */
export function familyShare(
  survivors: readonly RewriteCandidate[],
  options: Pick<GateOptions, 'families' | 'familyShare'>,
): Map<RewriteCandidate, Capped> {
  const share = Math.min(1, options.familyShare ?? 2 / options.families);
  // 1e-9: 2/49 of 49 must be 2, though the product is a bit below. A share below one child would shut the family out.
  const cap = Math.max(1, Math.floor(share * survivors.length + 1e-9));
  return rankWithin(
    survivors,
    (candidate) => candidate.family,
    () => cap,
  );
}

/** Fewer turns, then tokens, then failed commands, then the smaller id (by code unit: no locale). */
function compareQuality(a: RewriteCandidate, b: RewriteCandidate): number {
  return (
    a.child.turns - b.child.turns ||
    a.child.actionTokens - b.child.actionTokens ||
    a.child.failedCommands - b.child.failedCommands ||
    (a.child.id < b.child.id ? -1 : a.child.id > b.child.id ? 1 : 0)
  );
}

function rankWithin(
  ordered: readonly RewriteCandidate[],
  groupOf: (candidate: RewriteCandidate) => string,
  capOf: (group: string) => number,
): Map<RewriteCandidate, Capped> {
  const seen = new Map<string, number>();
  return new Map(
    ordered.map((candidate) => {
      const group = groupOf(candidate);
      const rank = (seen.get(group) ?? 0) + 1;
      seen.set(group, rank);
      const cap = capOf(group);
      return [candidate, { rank, cap, passes: rank <= cap }];
    }),
  );
}
