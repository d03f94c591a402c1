/** The stored judgement of a rewrite round: every candidate's gate and measured values, accepted or not. */
import type { GroupRef } from '../contracts/checkpoint.ts';
import type { Digest } from '../contracts/digest.ts';
import type { Place } from '../contracts/run-store.ts';
import type { RewriteMode } from '../contracts/trajectory.ts';
import type { GateDecision } from '../rl/gates/candidate.ts';
import { once, use, type LoopContext } from './context.ts';

/** One per candidate, accepted or not: the lineage of the attempt. */
export interface RewriteDecision extends GateDecision {
  readonly parentId: string;
  readonly taskId: string;
  readonly mode: RewriteMode;
  readonly policy: string | null;
  readonly seed: number;
  /** Command sequences of the ancestors, the parent's first: what a later rewrite of this child must differ from. */
  readonly ancestry: readonly (readonly string[])[];
}

export interface StoredDecisions {
  readonly kind: 'rewrite-decisions';
  /** File holding the list of RewriteDecision, one per candidate. */
  readonly decisions: Digest;
  readonly acceptedIds: readonly string[];
}

export function storeDecisions(
  context: LoopContext,
  place: Place,
  candidates: readonly GroupRef[],
  judge: () => readonly RewriteDecision[],
): Promise<StoredDecisions> {
  return once<StoredDecisions>(context, place, async () => {
    const judged = judge();
    const decisions = await context.store.putBlob(new TextEncoder().encode(JSON.stringify(judged)));
    const acceptedIds = judged.flatMap(({ accepted, childId }) => (accepted ? [childId] : []));
    return {
      content: { kind: 'rewrite-decisions', decisions, acceptedIds },
      blobs: [decisions],
      uses: candidates.map((group) => use('candidates', group)),
    };
  });
}

export async function loadDecisions(context: LoopContext, stored: StoredDecisions): Promise<RewriteDecision[]> {
  return JSON.parse(new TextDecoder().decode(await context.store.getBlob(stored.decisions))) as RewriteDecision[];
}
