/** The table of sub-goal kinds. A new kind: a file like its neighbours, its pieces in the vocabulary, a line here. */
import { Failure } from '../../../contracts/failures.ts';
import { config } from './config.ts';
import { count } from './count.ts';
import { deleteTemporary } from './delete.ts';
import { lookup } from './lookup.ts';
import { move } from './move.ts';
import { perm } from './perm.ts';
import { place } from './place.ts';
import type { SubGoalKind } from './sub-goal.ts';
import { write } from './write.ts';

export const SUB_GOAL_KINDS: ReadonlyMap<string, SubGoalKind> = new Map(
  [write, place, config, lookup, move, perm, count, deleteTemporary].map((kind) => [kind.kind, kind]),
);

export function subGoalKind(name: string): SubGoalKind {
  const kind = SUB_GOAL_KINDS.get(name);
  if (kind !== undefined) return kind;
  const known = [...SUB_GOAL_KINDS.keys()].join(', ');
  throw new Failure('task', `no sub-goal kind "${name}": known are ${known}`, { subject: name });
}
