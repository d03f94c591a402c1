/**
 * The result of a run from its records alone: the loop tells its story again over a store that computes nothing new. A
 * run that is not finished, or was ended early, is told up to its last whole generation, one that was prolonged up to
 * where it went.
 */
import { Failure } from '../contracts/failures.ts';
import type { RunStore } from '../contracts/run-store.ts';
import type { LoopContext } from '../training/context.ts';
import { localRun } from '../training/local-run.ts';
import { recordedEnd } from '../training/recorded-end.ts';
import type { RunResult } from '../training/run-result.ts';

export async function retell(context: LoopContext): Promise<RunResult> {
  const reader: LoopContext = { ...context, store: storedOnly(context.store), report: () => undefined };
  const { config } = context;
  const records = await context.store.list();
  const whole = records.reduce(
    (last, { place }) => (place.step === 'promotion' ? Math.max(last, place.generation) : last),
    0,
  );
  const generations = Math.max(config.generations, whole);
  const result = await orNull(localRun({ ...reader, config: { ...config, generations } }));
  if (result !== null) return { ...result, config };
  // Nothing that is stored depends on how many generations were planned.
  const partial = await orNull(localRun({ ...reader, config: { ...config, generations: whole } }));
  if (partial === null)
    throw new Failure('lineage', 'the run has not come to its first evaluation yet; nothing to report');
  const unfinished = { reason: 'unfinished', measured: whole, limit: config.generations };
  return { ...partial, config, end: (await recordedEnd(context.store)) ?? unfinished };
}

const MISSING = 'not stored';

function storedOnly(store: RunStore): RunStore {
  return {
    ...store,
    read: async (place) => {
      const record = await store.read<never>(place);
      if (record === null) throw new Failure('lineage', MISSING);
      return record;
    },
  };
}

async function orNull(result: Promise<RunResult>): Promise<RunResult | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Failure && error.message === MISSING) return null;
    throw error;
  }
}
