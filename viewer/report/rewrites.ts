/** Each rewriting round: what its gates let through and stopped, and what accepted polishes saved on average. */
import type { RunResult } from '../../training/run-result.ts';

/** The gates in the order in which they are asked; 'accepted' is what passed all of them. */
export const GATE_ORDER = [
  'accepted',
  'parent-unverified',
  'no-verdict',
  'not-strict',
  'verifier-changed',
  'not-better',
  'duplicate',
  'length',
  'touches-verifier',
  'leaks-parent',
  'per-task-cap',
  'family-share',
] as const;

export interface RewriteReport {
  readonly generation: number;
  readonly stageIndex: number;
  readonly parents: number;
  readonly candidates: number;
  readonly gates: Readonly<Record<string, number>>;
  readonly polish: number;
  readonly repair: number;
  /** Per accepted polish, child - parent; null when none was accepted. */
  readonly turnDelta: number | null;
  readonly tokenDelta: number | null;
  readonly failedDelta: number | null;
  readonly lessons: number;
  readonly loss: number | null;
}

export function rewriteReports(result: RunResult): RewriteReport[] {
  return result.generations.flatMap(({ generation, stages }) =>
    stages.flatMap((stage): RewriteReport[] => {
      if (stage.kind !== 'self-rewrite') return [];
      const { parents, candidates, gates, accepted, turnDelta, tokenDelta, failedDelta, lessons, loss } = stage.result;
      const each = (sum: number): number | null => (accepted.polish === 0 ? null : sum / accepted.polish);
      return [
        {
          generation,
          stageIndex: stage.stageIndex,
          parents,
          candidates,
          gates,
          polish: accepted.polish,
          repair: accepted.repair,
          turnDelta: each(turnDelta),
          tokenDelta: each(tokenDelta),
          failedDelta: each(failedDelta),
          lessons,
          loss,
        },
      ];
    }),
  );
}
