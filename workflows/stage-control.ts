/** The control of a workflow below `trainRun`: hears its parent, tells the run when it has to wait for a person. */
import { getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { RunRef } from '../activities/run-ref.ts';
import { control, report } from './messages.ts';
import { RunControl, type ControlState } from './run-control.ts';
import type { Report } from './run-progress.ts';

export function listenToParent(run: RunRef, state: ControlState): RunControl {
  const own = new RunControl(state, (reason) => tellRun(run, { kind: 'parked', reason }));
  setHandler(control, (next) => own.set(next));
  return own;
}

export function tellRun(run: RunRef, what: Report): Promise<void> {
  return getExternalWorkflowHandle(run.workflowId).signal(report, what);
}
