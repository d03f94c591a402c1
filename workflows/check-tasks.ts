/** Asks whether families may join a run: their names, and their tasks played for real. What is wrong comes in one line. */
import { condition } from '@temporalio/workflow';
import type { RunRef } from '../activities/run-ref.ts';
import { asRunFailure } from './failure-reason.ts';
import { sandboxActivities } from './run-activities.ts';

/**
 * Throws what is wrong; returns early, with no answer, when the run ends: nobody needs one then. The activity is left to
 * end with the run: to cancel it from a message's handler is a command that histories do not replay.
 */
export async function checkTasks(run: RunRef, families: readonly string[], isEnding: () => boolean): Promise<void> {
  const { validateTasks } = sandboxActivities();
  const summary = `check tasks: ${families.join(', ')}`;
  try {
    await Promise.race([validateTasks.executeWithOptions({ summary }, [run, families]), condition(isEnding)]);
  } catch (error) {
    throw asRunFailure(error);
  }
}
