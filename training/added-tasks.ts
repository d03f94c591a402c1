/**
 * Task families that a person brought into a running run (update `addTasks`). Those that join with a generation are one
 * record; which families a generation trains on is read from these records, so every process finds the same.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { Place, StoredRecord } from '../contracts/run-store.ts';

export interface AddedTasks {
  readonly kind: 'added-tasks';
  /** They are trained on from this generation on. */
  readonly families: readonly string[];
}

/** Before the generation's first stage. */
export function addedTasksPlace(generation: number): Place {
  return { generation, stageIndex: -1, step: 'added-tasks', iteration: 0, group: 0 };
}

/** Families that joined with exactly this generation. */
export function familiesJoining(records: readonly StoredRecord[], generation: number): string[] {
  return addedFamilies(records.filter(({ place }) => place.generation === generation));
}

/** Families added up to a generation (of all, when none is given), in the order in which they joined. */
export function addedFamilies(records: readonly StoredRecord[], generation = Infinity): string[] {
  return records
    .filter(isAddedTasks)
    .filter(({ place }) => place.generation <= generation)
    .sort((a, b) => a.place.generation - b.place.generation)
    .flatMap(({ content }) => content.families);
}

/** What train tasks of a generation are drawn from: the configured families, then the added ones. */
export function trainedFamilies(
  { tasks }: RunConfig,
  records: readonly StoredRecord[],
  generation = Infinity,
): readonly string[] {
  return [...tasks.families, ...addedFamilies(records, generation)];
}

function isAddedTasks(record: StoredRecord): record is StoredRecord<AddedTasks> {
  return record.content.kind === 'added-tasks';
}
