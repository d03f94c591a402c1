/** The stages of a run in the order in which they happen, each with its place on an axis; evaluations stand between. */
import type { StageKind } from '../../contracts/config/run-config.ts';

export interface Slot {
  readonly generation: number;
  readonly stageIndex: number;
  readonly kind: 'warm-start' | 'warm-up-critic' | 'evaluation' | StageKind;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Policy-refine plays many batches, self-rewrite one. */
const WIDTHS: Readonly<Record<Slot['kind'], number>> = {
  'warm-start': 0.8,
  'warm-up-critic': 1,
  'self-rewrite': 1,
  'policy-refine': 2.4,
  evaluation: 0.9,
};

export function stageAxis(stages: readonly StageKind[], generations: number): Slot[] {
  const slots: Slot[] = [];
  const add = (generation: number, stageIndex: number, kind: Slot['kind'], name: string): void => {
    const from = slots.at(-1)?.to ?? 0;
    slots.push({ generation, stageIndex, kind, name, from, to: from + WIDTHS[kind] });
  };
  add(0, -1, 'warm-start', 'warm start');
  add(0, 0, 'warm-up-critic', 'critic warm-up');
  add(0, stages.length, 'evaluation', 'evaluation');
  for (let generation = 1; generation <= generations; generation += 1) {
    for (const [stageIndex, kind] of stages.entries()) add(generation, stageIndex, kind, nameOf(stages, stageIndex));
    add(generation, stages.length, 'evaluation', 'evaluation');
  }
  return slots;
}

/** "self-rewrite 2" where a generation has several. */
function nameOf(stages: readonly StageKind[], index: number): string {
  const kind = stages[index] as StageKind;
  const isOnly = stages.filter((other) => other === kind).length === 1;
  return isOnly ? kind : `${kind} ${stages.slice(0, index + 1).filter((other) => other === kind).length}`;
}
