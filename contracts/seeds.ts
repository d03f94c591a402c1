/**
 * Seeds by hashing (docs/formulas.md): a seed depends on the configured run seed and the logical place of the
 * work alone, never on a run id, an attempt, a worker or a clock, so a recovered run samples what the first one did.
 */
import { digestOf } from './digest.ts';

export interface SeedPlace {
  readonly runSeed: number;
  /** Left out (null) for evaluations: all generations are measured under the same seeds. */
  readonly generation: number | null;
  readonly stageIndex: number | null;
  /** What the chance is for: a trajectory's purpose, or another word ('order', 'weights', ...). */
  readonly purpose: string;
  readonly groupIndex: number;
  readonly taskId?: string;
  readonly parentId?: string;
  readonly sample?: number;
}

/** 52-bit seed of a place: enough that no two episodes of a long run share one. */
export function seedOf(place: SeedPlace): number {
  const hex = digestOf([
    place.runSeed,
    place.generation ?? '-',
    place.stageIndex ?? '-',
    place.purpose,
    place.groupIndex,
    place.taskId ?? '-',
    place.parentId ?? '-',
    place.sample ?? 0,
  ]);
  return Number.parseInt(hex.slice(0, 13), 16);
}
