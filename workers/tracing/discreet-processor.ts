/**
 * What spans may tell: names, ids, times, and the class of an error. Messages of errors quote tasks and commands, and the
 * workflow's info holds memo and attributes that people set: none of it leaves. Questions that watchers ask every second
 * are dropped, since they would bury the work.
 */
import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';

const ATTRIBUTES = new Set([
  ...['workflowId', 'runId', 'workflowType', 'namespace', 'taskQueue', 'attempt', 'historyLength'],
  ...['run_id', 'temporalWorkflowId', 'temporalActivityId', 'temporalUpdateId'],
]);
/** What our own spans are told (activities/record-spans.ts). */
const OWN = /^rsi\./;
const QUESTIONS = /^(QueryWorkflow|HandleQuery|DescribeWorkflow|ValidateUpdate)\b/;

export function discreet(inner: SpanProcessor): SpanProcessor {
  return {
    onStart: (span, context) => inner.onStart(span, context),
    onEnd: (span) => {
      if (!QUESTIONS.test(span.name)) inner.onEnd(reduced(span));
    },
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
}

function reduced(span: ReadableSpan): ReadableSpan {
  return {
    ...{ name: span.name, kind: span.kind, parentSpanContext: span.parentSpanContext },
    ...{ startTime: span.startTime, endTime: span.endTime, duration: span.duration, ended: span.ended },
    ...{ links: span.links, resource: span.resource, instrumentationScope: span.instrumentationScope },
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
    spanContext: () => span.spanContext(),
    status: { code: span.status.code },
    attributes: allowed(span.attributes),
    events: span.events.map(({ name, time, attributes }) => {
      const type = attributes?.['exception.type'];
      return { name, time, ...(type === undefined ? {} : { attributes: { 'exception.type': type } }) };
    }),
  } as ReadableSpan;
}

function allowed(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => ATTRIBUTES.has(key) || OWN.test(key)));
}
