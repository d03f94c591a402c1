/** Starts a run the way the Web UI's form does: type `trainRun`, queue `control`, one JSON object or nothing. */
import { WorkflowIdConflictPolicy } from '@temporalio/common';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { trainRun, TrainRunInput } from '../workflows/train-run.ts';

export type RunHandle = WorkflowHandle<typeof trainRun>;

export interface LaunchOptions {
  readonly client: Client;
  /** Keys of the configuration; left out, all defaults. */
  readonly input?: TrainRunInput;
  readonly workflowId: string;
}

/** An id that is open is attached to; one that is closed is run again, as a run with the next ordinal. */
export async function launchRun({ client, input, workflowId }: LaunchOptions): Promise<RunHandle> {
  const started = await client.workflow.start<typeof trainRun>('trainRun', {
    ...{ taskQueue: 'control', workflowId, workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING },
    args: input === undefined ? [] : [input],
    staticSummary: `recursive self-improvement, ${input?.preset ?? 'demo'}`,
  });
  return client.workflow.getHandle<typeof trainRun>(started.workflowId, undefined, {
    firstExecutionRunId: started.firstExecutionRunId,
  });
}
