/** Policy-refine iterations with all their metrics, and the critic's explained variance wherever it was measured. */
import type { RefineMetrics } from '../../training/refine-metrics.ts';
import type { RunResult } from '../../training/run-result.ts';
import type { StageStop } from '../../training/stage-stop.ts';

export interface RefineReport extends RefineMetrics {
  readonly generation: number;
  readonly stageIndex: number;
  readonly iteration: number;
  /** On the last iteration of a stage that a stop rule ended. */
  readonly stop: StageStop | null;
}

export interface CriticReport {
  readonly generation: number;
  readonly stageIndex: number;
  readonly when: 'warm-up' | 'handoff-before' | 'handoff-after' | 'iteration';
  readonly iteration: number;
  /** Null where the returns do not vary. */
  readonly explainedVariance: number | null;
  readonly loss: number | null;
  /** Warm-up alone: what ended it. */
  readonly gate: 'reached' | 'budget' | null;
}

export function refineReports(result: RunResult): RefineReport[] {
  return result.generations.flatMap(({ generation, stages }) =>
    stages.flatMap((stage): RefineReport[] => {
      if (stage.kind !== 'policy-refine') return [];
      const { iterations, stop } = stage.result;
      const { stageIndex } = stage;
      return iterations.map((metrics, iteration) => ({
        generation,
        stageIndex,
        iteration,
        ...metrics,
        stop: iteration === iterations.length - 1 ? stop : null,
      }));
    }),
  );
}

export function criticReports(result: RunResult): CriticReport[] {
  const { warmUp } = result;
  const { explainedVariance, loss, gate } = warmUp;
  const reports: CriticReport[] = [
    { generation: 0, stageIndex: 0, when: 'warm-up', iteration: 0, explainedVariance, loss, gate },
  ];
  for (const { generation, stages } of result.generations) {
    for (const stage of stages) {
      if (stage.kind !== 'policy-refine') continue;
      const { handoff, stageIndex } = stage;
      const at = { generation, stageIndex, iteration: 0, gate: null };
      reports.push({ ...at, when: 'handoff-before', explainedVariance: handoff.explainedVarianceBefore, loss: null });
      reports.push({
        ...at,
        when: 'handoff-after',
        explainedVariance: handoff.explainedVarianceAfter,
        loss: handoff.loss,
      });
      for (const [iteration, metrics] of stage.result.iterations.entries()) {
        const { explainedVariance, valueLoss } = metrics;
        reports.push({ ...at, when: 'iteration', iteration, explainedVariance, loss: valueLoss });
      }
    }
  }
  return reports;
}
