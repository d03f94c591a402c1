/**
 * The W3C header `traceparent` (https://www.w3.org/TR/trace-context/): how a trace goes from the client through the
 * headers of workflows to their activities. Nothing else travels: no state of a vendor, no baggage.
 */
import { isSpanContextValid, trace, type TextMapPropagator } from '@opentelemetry/api';

const HEADER = 'traceparent';
/** Version, trace, span, flags; later versions may append to it. */
const SHAPE = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

export const traceParent: TextMapPropagator = {
  inject(context, carrier, setter) {
    const span = trace.getSpanContext(context);
    if (span === undefined || !isSpanContextValid(span)) return;
    const flags = span.traceFlags.toString(16).padStart(2, '0');
    setter.set(carrier, HEADER, `00-${span.traceId}-${span.spanId}-${flags}`);
  },
  extract(context, carrier, getter) {
    const value = getter.get(carrier, HEADER);
    const [, traceId, spanId, flags] = SHAPE.exec(typeof value === 'string' ? value : (value?.[0] ?? '')) ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return context;
    const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return isSpanContextValid(span) ? trace.setSpanContext(context, span) : context;
  },
  fields: () => [HEADER],
};
