/** How the held-out tasks moved between none, partial and strict, greedy: from each promoted generation to the next. */
import type { MovementTable } from '../../rl/movement-table.ts';
import { movesBetween } from '../../training/rates.ts';
import type { RunResult } from '../../training/run-result.ts';

export interface Movement extends MovementTable {
  /** Generations compared; 0 is the start. */
  readonly from: number;
  readonly to: number;
  readonly promoted: boolean;
}

export interface Movements {
  readonly perGeneration: readonly Movement[];
  /** From the start to the promoted generation. */
  readonly total: Movement;
}

export function movements(result: RunResult): Movements {
  const perGeneration: Movement[] = [];
  let best = result.start;
  for (const { generation, evaluation, promotion } of result.generations) {
    const { promoted } = promotion;
    const table = movesBetween(best.outcomes['held-out-greedy'], evaluation.outcomes['held-out-greedy']);
    perGeneration.push({ from: best.generation, to: generation, promoted, ...table });
    if (promoted) best = evaluation;
  }
  const total = movesBetween(result.start.outcomes['held-out-greedy'], best.outcomes['held-out-greedy']);
  return { perGeneration, total: { from: 0, to: best.generation, promoted: best.generation > 0, ...total } };
}
