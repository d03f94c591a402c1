/** Pointers into what is stored: every checkpoint that a stage handed on, by digest, and how much there is behind it. */
import type { CheckpointRef } from '../../contracts/checkpoint.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import type { RunResult } from '../../training/run-result.ts';

export interface CheckpointPointer {
  readonly generation: number;
  /** What made it: 'warm-start', 'warm-up-critic', 'self-rewrite', 'handoff', 'policy-refine'. */
  readonly madeBy: string;
  readonly role: CheckpointRef['role'];
  /** Of the stored file. */
  readonly digest: string;
  readonly weightsDigest: string;
  /** Digest of the weights it started from; null for the start model's. */
  readonly parent: string | null;
}

export interface LineageReport {
  readonly contentHead: string;
  readonly records: number;
  readonly blobs: number;
  /** Edges between them: what was read to make what. */
  readonly edges: number;
  readonly episodes: number;
  readonly actionTokens: number;
  readonly checkpoints: readonly CheckpointPointer[];
}

export function lineageReport(result: RunResult, records: readonly StoredRecord[]): LineageReport {
  const groups = records.flatMap(({ content }) => (isGroup(content) ? [content.summary] : []));
  return {
    contentHead: result.contentHead,
    records: records.length,
    edges: records.reduce((sum, { uses }) => sum + uses.length, 0),
    blobs: new Set(records.flatMap(({ blobs }) => blobs)).size,
    episodes: groups.reduce((sum, { episodes }) => sum + episodes, 0),
    actionTokens: groups.reduce((sum, { actionTokens }) => sum + actionTokens, 0),
    checkpoints: checkpoints(result),
  };
}

function checkpoints(result: RunResult): CheckpointPointer[] {
  const pointers: CheckpointPointer[] = [];
  const add = (generation: number, madeBy: string, ref: CheckpointRef, parent: CheckpointRef | null): void => {
    const { role, digest, weightsDigest } = ref;
    pointers.push({ generation, madeBy, role, digest, weightsDigest, parent: parent?.weightsDigest ?? null });
  };
  add(0, 'warm-start', result.start.policy, null);
  add(0, 'warm-up-critic', result.warmUp.critic, null);
  let best = result.start.policy;
  for (const { generation, stages, evaluation, promotion } of result.generations) {
    let policy = best;
    for (const stage of stages) {
      const parent = stage.kind === 'self-rewrite' && result.config.selfRewrite.fromBase ? result.start.policy : policy;
      if (stage.kind === 'policy-refine') {
        add(generation, 'handoff', stage.handoff.critic, stage.handoff.parent);
        add(generation, 'policy-refine', stage.result.critic, stage.handoff.critic);
      }
      add(generation, stage.kind, stage.result.policy, parent);
      policy = stage.result.policy;
    }
    if (promotion.promoted) best = evaluation.policy;
  }
  return pointers;
}

function isGroup(content: unknown): content is { summary: { episodes: number; actionTokens: number } } {
  return typeof content === 'object' && content !== null && (content as { kind?: unknown }).kind === 'group';
}
