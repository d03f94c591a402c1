/**
 * What computes a run, recorded where it begins: two backends differ in the last bits of their numbers, so a run that
 * mixed them could not be repeated by anybody. Nothing of the machine itself is in the record.
 */
import { Failure } from '../contracts/failures.ts';
import type { Place, RunStore } from '../contracts/run-store.ts';
import { openBackend, type BackendName } from '../model/backend.ts';
import { once, type LoopContext } from './context.ts';

export interface Environment {
  readonly kind: 'environment';
  readonly backend: BackendName;
  readonly library: string;
  readonly version: string;
}

const PLACE: Place = { generation: 0, stageIndex: -1, step: 'environment', iteration: 0, group: 0 };

export function recordEnvironment(context: LoopContext): Promise<Environment> {
  return once<Environment>(context, PLACE, async () => {
    const { name, describe } = await openBackend();
    return { content: { kind: 'environment', backend: name, library: describe.library, version: describe.version } };
  });
}

/** Null for a run that has not begun. */
export async function environmentOf(store: Pick<RunStore, 'read'>): Promise<Environment | null> {
  return (await store.read<Environment>(PLACE))?.content ?? null;
}

/** Refuses to go on with a run on another backend. Another worker may have the right one, so it is worth a retry. */
export async function requireBackend(store: Pick<RunStore, 'read'>, backend: BackendName): Promise<void> {
  const begun = await environmentOf(store);
  if (begun === null || begun.backend === backend) return;
  const message = `the run was begun on the ${begun.backend} backend, this process has ${backend}; TERMINAL_RSI_BACKEND=${begun.backend} goes on with it`;
  throw new Failure('compute', message, { subject: 'TERMINAL_RSI_BACKEND' });
}
