// The acceptance of a self-rewrite round: eleven gates in order, the first that fails is the code. Called by the rewrite
// stage after every child was executed and judged. All measured values are returned for every candidate.
//   1 parent-unverified  2 no-verdict  3 not-strict  4 verifier-changed  5 not-better  6 duplicate  7 length
//   8 touches-verifier  9 leaks-parent  10 per-task-cap  11 family-share
// Source: docs/formulas.md: rewriting verified trajectories given, gates ours.

import { requireCount, requireInRange, requirePositive } from './checks.ts';
import type { GateCode, GateDecision, GateMeasures, GateOptions, RewriteCandidate } from './gates/candidate.ts';
import { familyShare, perTaskCap } from './gates/caps.ts';
import { findDuplicate } from './gates/duplicate.ts';
import { findLeaks } from './gates/leaks-parent.ts';
import { measureLength } from './gates/length.ts';
import { findTouchedPaths } from './gates/touches-verifier.ts';
import { changedDigests, hasVerdicts, isBetter, isStrictEachTime, parentIsVerified } from './gates/verdict-gates.ts';

/** One decision per candidate, sorted by (parent, sample), whatever the order they came in. */
export function acceptRewrites(candidates: readonly RewriteCandidate[], options: GateOptions): GateDecision[] {
  requireOptions(options);
  const ordered = [...candidates].sort((a, b) => a.parentIndex - b.parentIndex || a.sample - b.sample);
  requireDistinct(ordered);

  // Gates 1-9 one by one: a sibling counts for `duplicate` once it has passed them.
  const siblings = new Map<string, (readonly string[])[]>();
  const judged = ordered.map((candidate) => {
    requireMode(candidate);
    const measures = measure(candidate, siblings.get(candidate.parent.id) ?? [], options);
    const gate = firstFailure(candidate, measures);
    if (gate === null) {
      siblings.set(candidate.parent.id, [...(siblings.get(candidate.parent.id) ?? []), candidate.child.commands]);
    }
    return { candidate, measures, gate };
  });

  // Gates 10-11 look at the round as a whole.
  const passed = judged.filter(({ gate }) => gate === null).map(({ candidate }) => candidate);
  const byTask = perTaskCap(passed, options);
  const byFamily = familyShare(
    passed.filter((candidate) => byTask.get(candidate)?.passes),
    options,
  );
  return judged.map(({ candidate, measures, gate }) => {
    const task = byTask.get(candidate);
    const family = byFamily.get(candidate);
    let code = gate;
    if (task !== undefined && !task.passes) code = 'per-task-cap';
    else if (family !== undefined && !family.passes) code = 'family-share';
    const caps = {
      rankInTask: task?.rank ?? null,
      taskCap: task?.cap ?? null,
      rankInFamily: family?.rank ?? null,
      familyCap: family?.cap ?? null,
    };
    return { childId: candidate.child.id, accepted: code === null, gate: code, measures: { ...measures, ...caps } };
  });
}

function measure(
  candidate: RewriteCandidate,
  siblings: readonly (readonly string[])[],
  options: GateOptions,
): GateMeasures {
  const { parent, child } = candidate;
  const { commandCount, commandLimit } = measureLength(candidate);
  return {
    parentVerdict: parent.verdict,
    verdicts: child.verdicts,
    executionsNeeded: candidate.flaky ? (options.executionsRequired ?? 3) : 1,
    changedDigests: changedDigests(parent, child),
    turnDelta: child.turns - parent.turns,
    tokenDelta: child.actionTokens - parent.actionTokens,
    failedDelta: child.failedCommands - parent.failedCommands,
    ...findDuplicate(child.commands, [parent.commands, ...candidate.ancestors], siblings),
    commandCount,
    commandLimit,
    touched: findTouchedPaths(child.commands, candidate.workingDirectory, options.protectedPaths),
    leaked: findLeaks(candidate),
    rankInTask: null,
    taskCap: null,
    rankInFamily: null,
    familyCap: null,
  };
}

function firstFailure(candidate: RewriteCandidate, measures: GateMeasures): GateCode | null {
  if (!parentIsVerified(candidate)) return 'parent-unverified';
  if (!hasVerdicts(candidate.child, measures.executionsNeeded)) return 'no-verdict';
  if (!isStrictEachTime(candidate.child)) return 'not-strict';
  if (measures.changedDigests.length > 0) return 'verifier-changed';
  if (!isBetter(candidate)) return 'not-better';
  if (measures.duplicateOf !== null) return 'duplicate';
  if (!measureLength(candidate).passes) return 'length';
  if (measures.touched.length > 0) return 'touches-verifier';
  if (measures.leaked.length > 0) return 'leaks-parent';
  return null;
}

function requireOptions(options: GateOptions): void {
  requireCount('acceptRewrites: families', options.families, 1);
  if (options.executionsRequired !== undefined) {
    requireCount('acceptRewrites: executionsRequired', options.executionsRequired, 1);
  }
  if (options.perTaskCap !== undefined) requireCount('acceptRewrites: perTaskCap', options.perTaskCap, 1);
  if (options.liveCap !== undefined) requireCount('acceptRewrites: liveCap', options.liveCap, 1);
  if (options.familyShare !== undefined) {
    requireInRange(
      'acceptRewrites: familyShare',
      requirePositive('acceptRewrites: familyShare', options.familyShare),
      0,
      1,
    );
  }
}

/** A polish of a partial parent, or a repair of a strict one, would be judged by the wrong rule. */
function requireMode({ mode, parent, child }: RewriteCandidate): void {
  const needed = parent.verdict === 'strict' ? 'polish' : 'repair';
  if (parent.verdict !== null && mode !== needed) {
    throw new RangeError(
      `acceptRewrites: got mode ${mode} for child ${child.id} of a ${parent.verdict} parent; need ${needed}`,
    );
  }
  // Fewer are possible: an execution that infrastructure cut short.
  const { commands, observations, id } = child;
  if (observations.length > commands.length) {
    throw new RangeError(
      `acceptRewrites: got ${observations.length} observations of child ${id}; need at most its ${commands.length} commands`,
    );
  }
}

function requireDistinct(ordered: readonly RewriteCandidate[]): void {
  ordered.forEach((candidate, i) => {
    const next = ordered[i + 1];
    if (next !== undefined && next.parentIndex === candidate.parentIndex && next.sample === candidate.sample) {
      throw new RangeError(
        `acceptRewrites: got two candidates for parent ${candidate.parentIndex}, sample ${candidate.sample}; need one`,
      );
    }
  });
}
