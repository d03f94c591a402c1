/**
 * A span for each record that the compute process has stored, below the activity's: a trace shows which step of a stage
 * took how long. Told after the fact, since the compute process itself knows nothing of traces.
 */
import { context, trace } from '@opentelemetry/api';
import type { StoredNote } from './compute-messages.ts';

/** To be called within the activity: messages of the compute process arrive outside of its async context. */
export function recordSpans(runId: number): (generation: number, note: StoredNote) => void {
  const parent = context.active();
  const tracer = trace.getTracer('terminal-rsi');
  return (generation, { step, seconds, group }) => {
    const end = Date.now();
    const attributes = {
      ...{ 'rsi.run': runId, 'rsi.generation': generation, 'rsi.step': step },
      ...(group === null
        ? {}
        : { 'rsi.episodes': group.episodes, 'rsi.tokens': group.tokens, 'rsi.strict': group.strict }),
    };
    tracer.startSpan(`Step:${step}`, { startTime: end - seconds * 1000, attributes }, parent).end(end);
  };
}
