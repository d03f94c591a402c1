/**
 * What a durable run tells the outside: one trace from the launch to the steps of the compute process, metrics that
 * move, and that its tasks were checked before; also when the worker that checks them is killed meanwhile.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WorkflowFailedError } from '@temporalio/client';
import type { RunHandle } from '../../workers/launch-run.ts';
import { durableConfig, openDurable, untilProgress, waitFor, type Durable } from './durable.ts';
import { openOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';

const CONFIG = durableConfig({ stages: ['policy-refine'] });
let durable: Durable | null = null;
let receiver: OtlpReceiver | null = null;
before(async () => {
  receiver = await openOtlpReceiver();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  durable = await openDurable();
});
after(async () => {
  await durable?.close();
  receiver?.close();
});

test('a run is traced, measured, and its tasks are checked though the checker is killed', async (t) => {
  if (durable === null || receiver === null) return t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
  const [on, received] = [durable, receiver];
  const before = await metricsOf(on, 'control');
  assert.ok((sum(before, 'temporal_worker_task_slots_available') ?? 0) > 0);
  assert.equal(sum(before, 'rsi_runs_claimed_total'), null);

  const handle = await on.launch('traced', CONFIG);
  const killed = await waitFor('the check of the tasks', () => beingChecked(on, handle));
  process.kill(killed, 'SIGKILL');
  await untilProgress(handle, ({ stage }) => stage === 'warm-start');
  const during = await metricsOf(on, 'gpu');
  const result = await handle.result();
  assert.deepEqual(result.audit, { ok: true, firstBad: null });
  assert.deepEqual(await attemptsOf(handle, 'validateTasks'), 2);

  // Whoever was started again serves its metrics where it did before.
  const sandbox = await metricsOf(on, 'sandbox');
  assert.ok((sum(sandbox, 'rsi_tasks_validated_total') ?? 0) >= 32);
  const control = await metricsOf(on, 'control');
  assert.equal(sum(control, 'rsi_runs_claimed_total'), 1);
  assert.equal(sum(control, 'rsi_runs_ended_total', 'reason="generations"'), 1);
  const gpu = await metricsOf(on, 'gpu');
  assert.equal(sum(gpu, 'temporal_worker_task_slots_available', 'worker_type="ActivityWorker"'), 1);
  assert.equal(sum(gpu, 'rsi_generation'), 1);
  for (const name of ['rsi_episodes_total', 'rsi_tokens_total', 'rsi_records_total', 'rsi_step_seconds_count']) {
    assert.ok((sum(gpu, name) ?? 0) > (sum(during, name) ?? 0), name);
  }
  const { records } = await on.row<{ records: number }>(
    'select count(*)::int as records from rsi.record where run_id = $1',
    [result.runId],
  );
  assert.equal(sum(gpu, 'rsi_records_total'), records);
  const rate = sum(gpu, 'rsi_group_strict_rate', 'step="rollout"') ?? -1;
  assert.ok(rate >= 0 && rate <= 1, String(rate));

  const spans = await waitFor('the spans of the run', async () => {
    const all = received.spans();
    return all.some(({ name }) => name === 'RunWorkflow:auditRun') && all.some(isLaunch) ? all : null;
  });
  aTrace(spans);
});

function isLaunch({ name }: ReceivedSpan): boolean {
  return name === 'StartWorkflow:trainRun';
}

/** From the client's span down to the steps: all of one trace, each below one that is there or still open. */
function aTrace(spans: readonly ReceivedSpan[]): void {
  const launch = spans.find(isLaunch);
  assert.equal(launch?.service, 'rsi-cli');
  const own = spans.filter(({ traceId }) => traceId === launch?.traceId);
  const byId = new Map(own.map((span) => [span.spanId, span]));
  const named = (service: string, name: string): ReceivedSpan => {
    const found = own.findLast((span) => span.service === service && span.name === name);
    assert.ok(found, `${name} of ${service} among ${own.map((span) => span.name).join(', ')}`);
    return found;
  };
  const above = (span: ReceivedSpan): string[] => {
    const parent = byId.get(span.parentSpanId);
    return parent === undefined ? [] : [parent.name, ...above(parent)];
  };
  assert.deepEqual(above(named('rsi-control', 'RunActivity:claimRun')), [
    ...['StartActivity:claimRun', 'RunWorkflow:trainRun', 'StartWorkflow:trainRun'],
  ]);
  assert.deepEqual(above(named('rsi-sandbox', 'RunActivity:validateTasks')).at(-1), 'StartWorkflow:trainRun');
  assert.deepEqual(above(named('rsi-gpu', 'Step:rollout')), [
    ...['RunActivity:policyRefine', 'StartActivity:policyRefine', 'RunWorkflow:policyRefine'],
    ...['StartChildWorkflow:policyRefine', 'RunWorkflow:generation', 'StartChildWorkflow:generation'],
    ...['RunWorkflow:trainRun', 'StartWorkflow:trainRun'],
  ]);
  for (const { version } of own) assert.match(version, /^\d+\.\d+\.\d+/);
}

test('tasks without a solution fail the run at once, named; the trace quotes neither them nor what was typed', async (t) => {
  if (durable === null || receiver === null) return t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
  const received = receiver;
  const handle = await durable.launch('unsolvable', durableConfig({ tasks: { turns: 1 } }));
  const failure = await handle.result().catch((error: unknown) => error);
  assert.ok(failure instanceof WorkflowFailedError);
  const { cause } = failure as { cause?: { message: string; type?: string } };
  assert.equal(cause?.type, 'TaskDefinitionInvalid');
  const task = /^family tidy, train task "(.+)": the oracle does not solve it/.exec(cause?.message ?? '')?.[1] ?? '';
  assert.ok(task.length > 5, cause?.message);

  const typed = await durable.launch('typed', { generatoins: 3 });
  await assert.rejects(typed.result());
  await waitFor('the spans of the failures', async () => {
    const failed = received.spans().filter(({ name }) => name === 'RunWorkflow:trainRun');
    return failed.length >= 3 ? true : null;
  });
  const text = received.text();
  assert.ok(text.includes('exception'));
  for (const word of [task, 'oracle', 'generatoins']) assert.ok(!text.includes(word), word);
});

/** The sandbox worker, once it is at work for the run. */
async function beingChecked(on: Durable, handle: RunHandle): Promise<number | null> {
  const { raw } = await handle.describe();
  const at = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'validateTasks');
  const isStarted = at?.lastStartedTime != null && (at.heartbeatDetails?.payloads?.length ?? 0) > 0;
  return isStarted ? (on.workers.workers.find(({ name }) => name === 'sandbox')?.pid() ?? null) : null;
}

async function attemptsOf(handle: RunHandle, type: string): Promise<number> {
  const events = (await handle.fetchHistory()).events ?? [];
  const scheduled = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === type);
  const started = events.find(
    ({ activityTaskStartedEventAttributes: at }) =>
      String(at?.scheduledEventId ?? '') === String(scheduled?.eventId ?? '?'),
  );
  return started?.activityTaskStartedEventAttributes?.attempt ?? 0;
}

async function metricsOf(on: Durable, worker: string): Promise<string> {
  const address = on.workers.metrics()[worker];
  assert.ok(address, `${worker} serves no metrics`);
  return (await fetch(`http://${address}/metrics`)).text();
}

/** Of all series of a metric whose labels hold the text; null when there is none. */
function sum(text: string, name: string, label = ''): number | null {
  const values = text
    .split('\n')
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(label))
    .map((line) => Number(line.split(' ').at(-1)));
  return values.length === 0 ? null : values.reduce((all, value) => all + value, 0);
}
