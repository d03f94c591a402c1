/** Tells a run something and waits for its answer; a refusal is one line. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { Failure } from '../contracts/failures.ts';
import type { Reason } from '../workflows/messages.ts';
import { findRunHandle, openClient } from './open-client.ts';

export async function sendUpdate(
  workflowId: string,
  update: 'pause' | 'resume' | 'stop',
  args: [] | [Reason],
): Promise<string> {
  const { client, close } = await openClient();
  try {
    const handle = await findRunHandle(client, workflowId);
    // The argument may be left out; the client's types know no such updates.
    return await handle.executeUpdate<string, [Reason]>(update, { args: args as [Reason] });
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) throw refusal(workflowId, error.cause?.message ?? error.message);
    if ((error as Error).name === 'WorkflowNotFoundError') throw refusal(workflowId, 'the run has ended');
    throw error;
  } finally {
    await close();
  }
}

function refusal(workflowId: string, why: string): Failure {
  return new Failure('config', `run ${workflowId}: ${why}`, { subject: workflowId });
}
