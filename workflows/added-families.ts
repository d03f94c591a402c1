/**
 * The task families that `addTasks` brought into a run, as its progress tells them: those that wait for the next
 * generation, and those that joined. Pure: state, event, next state. Kept with the progress, so continue-as-new takes it along.
 */
import type { FamilyNote } from '../activities/run-ref.ts';
import { refuseUnless } from './check-message.ts';

export interface AddedFamilies {
  /** They join with the next generation that begins. */
  readonly pending: readonly string[];
  readonly joined: readonly JoinedFamily[];
}

export interface JoinedFamily {
  readonly family: string;
  /** The first that trains on it. */
  readonly generation: number;
  /** Its held-out tasks under the policy that it met; null until they were played. */
  readonly atJoining: Pick<FamilyNote, 'strict' | 'n'> | null;
}

export const NONE_ADDED: AddedFamilies = { pending: [], joined: [] };

export function noted({ pending, joined }: AddedFamilies, families: readonly string[]): AddedFamilies {
  return { pending: [...pending, ...families], joined };
}

export function begun({ pending, joined }: AddedFamilies, generation: number): AddedFamilies {
  const now = pending.map((family): JoinedFamily => ({ family, generation, atJoining: null }));
  return { pending: [], joined: [...joined, ...now] };
}

export function measured({ pending, joined }: AddedFamilies, notes: readonly FamilyNote[]): AddedFamilies {
  const withNote = (one: JoinedFamily): JoinedFamily => {
    const note = notes.find(({ family }) => family === one.family);
    return note === undefined ? one : { ...one, atJoining: { strict: note.strict, n: note.n } };
  };
  return { pending, joined: joined.map(withNote) };
}

/** Refuses families that no generation is left for, or that were added before. */
export function refuseLate(
  { generation, generations, added }: { generation: number; generations: number; added: AddedFamilies },
  families: readonly string[],
): void {
  const next = generation + 1;
  refuseUnless(
    next <= generations,
    `addTasks: no generation comes after ${generation}, the last planned; setBudget {"generations": ${next}} plans another`,
  );
  for (const family of families) {
    const since = added.joined.find((one) => one.family === family)?.generation;
    const when = since ?? (added.pending.includes(family) ? next : null);
    refuseUnless(when === null, `addTasks: family '${family}' was added already, from generation ${when} on`);
  }
}

/** "Added tasks: tidy since generation 2 (1/8 strict before); from the next generation on: report" */
export function textOf({ pending, joined }: AddedFamilies, isOver: boolean): string {
  const since = joined.map(({ family, generation, atJoining }) => {
    const before = atJoining === null ? '' : ` (${atJoining.strict}/${atJoining.n} strict before)`;
    return `${family} since generation ${generation}${before}`;
  });
  const waits = isOver ? 'came too late' : 'from the next generation on';
  const parts = [...since, ...(pending.length === 0 ? [] : [`${waits}: ${pending.join(', ')}`])];
  return parts.length === 0 ? '' : `Added tasks: ${parts.join('; ')}`;
}
