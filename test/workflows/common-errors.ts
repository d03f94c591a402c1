/**
 * The rules by which the Web UI of Temporal lists "common errors" of a workflow, as far as a history tells them; by the
 * UI's own numbers. Ours are to stay silent.
 */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';

type Event = NonNullable<History['events']>[number];
type Seconds = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;

/** "15 attempt 4 of selfRewrite" */
export function commonErrors({ status, historyLength }: WorkflowExecutionInfo, { events }: History): string[] {
  const all = events ?? [];
  const activities = all.filter((event) => event.activityTaskScheduledEventAttributes).length;
  const isContinued = status.name === 'CONTINUED_AS_NEW';
  return [
    ...all.flatMap(ofEvent),
    ...(isContinued && activities <= 2 && historyLength < 50
      ? [`8 continued as new after ${historyLength} events`]
      : []),
    ...(isContinued && historyLength < 2000 ? [`9 continued as new after ${historyLength} events`] : []),
    ...(historyLength > 10_000 ? [`31 ${historyLength} events`] : []),
  ];
}

function ofEvent(event: Event): string[] {
  return [...ofStart(event), ...ofActivity(event), ...ofChild(event), ...ofAttempt(event)];
}

function ofStart({ workflowExecutionStartedEventAttributes: start }: Event): string[] {
  if (!start) return [];
  const reuse = String(start.continuedExecutionRunId ?? '');
  return [
    ...when(seconds(start.workflowExecutionTimeout) > 0, '1 execution timeout'),
    ...when(seconds(start.workflowRunTimeout) > 0, '3 run timeout'),
    ...when(![0, 10].includes(seconds(start.workflowTaskTimeout)), '4 task timeout'),
    ...when(Boolean(start.retryPolicy), '10 retry policy of a workflow'),
    ...when((start.attempt ?? 1) >= 2 && reuse === '', '11 a workflow was retried'),
    ...when((start.input?.payloads?.length ?? 0) > 1, '32 more than one input payload'),
    ...when(
      Object.keys(start.memo?.fields ?? {}).some((key) => /secret|passw|key|token/i.test(key)),
      '35 memo',
    ),
  ];
}

function ofActivity({ activityTaskScheduledEventAttributes: task }: Event): string[] {
  if (!task) return [];
  const name = task.activityType?.name ?? '?';
  const startToClose = seconds(task.startToCloseTimeout);
  const scheduleToClose = seconds(task.scheduleToCloseTimeout);
  const heartbeat = seconds(task.heartbeatTimeout);
  const most = task.retryPolicy?.maximumAttempts ?? 0;
  return [
    ...when(most === 0, `13 no maximum of attempts: ${name}`),
    ...when(most === 1, `14 one attempt: ${name}`),
    ...when(startToClose > 0 && startToClose <= 1, `16 start to close: ${name}`),
    ...when(scheduleToClose > 0 && startToClose === 0, `17 schedule to close alone: ${name}`),
    ...when(scheduleToClose > 0 && scheduleToClose < 2 * startToClose, `18 schedule to close: ${name}`),
    ...when(seconds(task.scheduleToStartTimeout) > 0, `20 schedule to start: ${name}`),
    ...when(heartbeat > 0.8 * startToClose, `22 heartbeat: ${name}`),
  ];
}

function ofChild({ startChildWorkflowExecutionInitiatedEventAttributes: child }: Event): string[] {
  return when(Boolean(child?.retryPolicy), `12 retry policy of a child: ${child?.workflowType?.name}`);
}

function ofAttempt({
  activityTaskStartedEventAttributes: started,
  markerRecordedEventAttributes: marker,
}: Event): string[] {
  return [
    ...when((started?.attempt ?? 1) > 3, `15 attempt ${started?.attempt}`),
    ...when(/local_activity/i.test(marker?.markerName ?? ''), '26 local activity'),
  ];
}

function when(holds: boolean, line: string): string[] {
  return holds ? [line] : [];
}

function seconds(duration: Seconds): number {
  return duration ? Number(duration.seconds ?? 0) + (duration.nanos ?? 0) / 1e9 : 0;
}
