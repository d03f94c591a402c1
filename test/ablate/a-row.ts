/** Rows made by hand, from the small run result of the viewer's tests. */
import { rowOf, type AblationRow, type Cell, type MeasuredSet } from '../../ablate/row.ts';
import { aRunResult, record } from '../viewer/a-run-result.ts';

export function aRow(variant = 'base', seed = 0): AblationRow {
  const group = (step: string, generation: number) => ({
    ...record(step, 0, 12.6, generation),
    content: { kind: 'group', summary: { episodes: 5, actionTokens: 100 } },
  });
  const records = [group('demonstrations', 0), group('rollout', 0), group('rewrite', 1), record('x', 12.6, 20, 1)];
  return {
    ...rowOf(aRunResult(), records, {
      ...{ study: 'demo', preset: 'demo', diagnostics: null, variant, changed: [], backend: 'native' },
      ...{ workflowId: `ablate-demo-${variant}-seed${seed}`, shared: null, date: '2026-12-01' },
      versions: { product: '0', library: 'libtensorflow', libraryVersion: '2' },
      machine: { cpu: 'a CPU', cores: 2, memoryGb: 8, platform: 'linux-x64' },
    }),
    seed,
  };
}

/** The same with another number of strict tasks of 100 at the end. */
export function withStrict(row: AblationRow, strict: number, set: MeasuredSet = 'held-out'): AblationRow {
  const cell: Cell = { n: 100, strict, partial: 3, progress: 0.5, turns: 4, failedCommands: 1 };
  return {
    ...row,
    generations: row.generations.map((one) =>
      one.generation === row.end.promotedGeneration ? { ...one, sets: { ...one.sets, [set]: cell } } : one,
    ),
  };
}
