/** Asks whether families may join a run: their names, and their tasks played for real. What is wrong comes in one line. */
import { CancellationScope, condition } from '@temporalio/workflow';
import type { RunRef } from '../activities/run-ref.ts';
import { asRunFailure } from './failure-reason.ts';
import { sandboxActivities } from './run-activities.ts';

/** Throws what is wrong; returns early, with no answer, when the run ends: nobody needs one then. */
export async function checkTasks(run: RunRef, families: readonly string[], isEnding: () => boolean): Promise<void> {
  const { validateTasks } = sandboxActivities();
  const scope = new CancellationScope();
  const ask = (): Promise<unknown> =>
    validateTasks.executeWithOptions({ summary: `check tasks: ${families.join(', ')}` }, [run, families]);
  try {
    await scope.run(() => Promise.race([ask(), condition(isEnding)]));
  } catch (error) {
    throw asRunFailure(error);
  } finally {
    scope.cancel();
  }
}
