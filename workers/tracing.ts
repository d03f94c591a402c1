/**
 * OpenTelemetry for clients, workers, workflow bundle and replay. The plugin is always there, so that histories are alike
 * whether or not anybody collects: without an endpoint (OTEL_EXPORTER_OTLP_ENDPOINT) spans are made and dropped.
 */
import { readFileSync } from 'node:fs';
import { context, propagation, trace } from '@opentelemetry/api';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, NoopSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';
import { asyncContextManager } from './tracing/context-manager.ts';
import { discreet } from './tracing/discreet-processor.ts';
import { traceParent } from './tracing/trace-parent.ts';

export type TracedService = 'control' | 'gpu' | 'sandbox' | 'cli';

export interface Tracing {
  readonly plugin: OpenTelemetryPlugin;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

/** A collector that does not answer must not hold up a process that ends: below the worker's force time. */
const FLUSH_MS = 3_000;

export async function openTracing(service: TracedService, env: NodeJS.ProcessEnv = process.env): Promise<Tracing> {
  const resource = resourceOf(service);
  const processor = await processorFor(env);
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  // A second call of a process (tests) finds them registered, which is as good.
  context.setGlobalContextManager(asyncContextManager());
  propagation.setGlobalPropagator(traceParent);
  trace.setGlobalTracerProvider(provider);
  const tracer = provider.getTracer('terminal-rsi');
  return {
    plugin: new OpenTelemetryPlugin({ resource, spanProcessor: processor, tracer }),
    close: async () => {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_MS)));
      await Promise.race([processor.shutdown().catch(() => undefined), limit]);
      clearTimeout(timer);
    },
  };
}

/** For where workflow code is bundled or replayed: the same interceptors, and nobody who listens. */
export function silentTracing(): OpenTelemetryPlugin {
  return new OpenTelemetryPlugin({ resource: resourceOf('control'), spanProcessor: new NoopSpanProcessor() });
}

function resourceOf(service: TracedService): Resource {
  return resourceFromAttributes({ 'service.name': `rsi-${service}`, 'service.version': version() });
}

/** The exporter is loaded where it is used alone: it costs every process some megabytes. */
async function processorFor(env: NodeJS.ProcessEnv): Promise<SpanProcessor> {
  const all = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const url = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || (all ? `${all.replace(/\/+$/, '')}/v1/traces` : '');
  if (url === '') return new NoopSpanProcessor();
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: FLUSH_MS });
  return discreet(new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000, exportTimeoutMillis: FLUSH_MS }));
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
