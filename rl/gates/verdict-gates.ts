// Gates 1-5: parent-unverified, no-verdict, not-strict, verifier-changed, not-better. Called by accept-rewrites.ts.
// Each is true if it passes. Source: docs/formulas.md: ours.

import type { MeasuredEpisode, RewriteCandidate, RewriteChild, VerifierDigests } from './candidate.ts';

/** 1 `parent-unverified`: only a trajectory with a verdict may be rewritten. */
export function parentIsVerified(candidate: RewriteCandidate): boolean {
  return candidate.parent.verdict !== null;
}

/** 2 `no-verdict`: every execution that is asked for has one, and none that ran lacks one. */
export function hasVerdicts(child: RewriteChild, executionsNeeded: number): boolean {
  return child.verdicts.length >= executionsNeeded && child.verdicts.every((verdict) => verdict !== null);
}

/** 3 `not-strict`: all executions are strict. */
export function isStrictEachTime(child: RewriteChild): boolean {
  return child.verdicts.length > 0 && child.verdicts.every((verdict) => verdict === 'strict');
}

/** 4 `verifier-changed`: what judged the child is not what judged the parent. Empty = passes. */
export function changedDigests(parent: MeasuredEpisode, child: MeasuredEpisode): (keyof VerifierDigests)[] {
  const keys = ['task', 'tests', 'image'] as const;
  return keys.filter((key) => parent.digests[key] !== child.digests[key]);
}

/** 5 `not-better`: a polish is Pareto-better on turns, action tokens and failed commands; a repair always is. */
export function isBetter(candidate: RewriteCandidate): boolean {
  if (candidate.mode === 'repair') return true;
  const { parent, child } = candidate;
  const deltas = [
    child.turns - parent.turns,
    child.actionTokens - parent.actionTokens,
    child.failedCommands - parent.failedCommands,
  ];
  return deltas.every((delta) => delta <= 0) && deltas.some((delta) => delta < 0);
}
