/**
 * Families that were added while the run went on join it with a generation: they are noted, and the promoted policy is
 * measured on their held-out tasks before anything is trained on them. From then on every evaluation plays these tasks.
 */
import type { CheckpointRef } from '../contracts/checkpoint.ts';
import { addedFamilies, addedTasksPlace, familiesJoining, type AddedTasks } from './added-tasks.ts';
import { once, type LoopContext } from './context.ts';
import { playSet, type TaskOutcome } from './evaluate.ts';
import { addedHeldOutTasks } from './task-sets.ts';

export interface AdmittedTasks {
  readonly families: readonly string[];
  /** Of the policy that the generation starts from, sampled. */
  readonly outcomes: readonly TaskOutcome[];
}

/** `families`: those that wait; none where the story is told again, then what is stored counts. Null: nothing joins. */
export async function admitTasks(
  context: LoopContext,
  generation: number,
  policy: CheckpointRef,
  families: readonly string[],
): Promise<AdmittedTasks | null> {
  const { config, store } = context;
  if (families.length === 0 && familiesJoining(await store.list(), generation).length === 0) return null;
  const place = addedTasksPlace(generation);
  const joined = await once<AddedTasks>(context, place, () =>
    Promise.resolve({ content: { kind: 'added-tasks', families } }),
  );
  const all = addedHeldOutTasks(config, addedFamilies(await store.list(), generation));
  const tasks = all.filter(({ family }) => joined.families.includes(family));
  const outcomes = await playSet(context, place, 'added', tasks, policy, 1);
  return { families: joined.families, outcomes };
}
