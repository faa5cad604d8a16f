import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Counter } from 'prom-client';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { TraceSettings } from './settings.js';
import { SpanQueue, type SendSpans } from './span-queue.js';
import type { Span, Tracer } from './trace.js';

/** A tracer that sends its spans to a collector. */
export interface OpenTracer extends Tracer {
  /** Sends waiting spans, for two seconds at most. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;
/** `ExportResultCode.SUCCESS` of OpenTelemetry. */
const SUCCESS: unknown = 0;

/**
 * Sends spans to an OpenTelemetry collector, by OTLP over HTTP as JSON. Its address, headers and certificates
 * are read from the environment (OTEL_EXPORTER_OTLP_*).
 * A process that traces nothing does not load this module.
 * @param version of csiflow
 */
export function openTracer(
  { ratio }: TraceSettings,
  { metrics, log, version }: { readonly metrics: Metrics; readonly log: Log; readonly version: string },
): OpenTracer {
  const results = new Counter({
    name: 'csiflow_trace_spans_total',
    help: 'Spans of sampled frames, by outcome.',
    labelNames: ['result'],
    registers: [metrics.registry],
  });
  const { send, shutdown } = otlpSender(version);
  const queue = new SpanQueue({
    ratio,
    send,
    onResult: (result, count, reason) => {
      results.inc({ result }, count);
      if (result === 'failed') log.warn('spans could not be sent to the collector', { count, reason });
    },
  });
  return {
    ratio,
    record: (span) => {
      queue.record(span);
    },
    close: async () => {
      await queue.close(CLOSE_MS);
      // A request in flight may hang longer. It ends by its own time limit, and the shutdown does not wait
      // for it.
      shutdown().catch((error: unknown) => {
        log.warn('the trace exporter did not stop in time', { error: String(error) });
      });
    },
  };
}

function otlpSender(version: string): { send: SendSpans; shutdown: () => Promise<void> } {
  const exporter = new OTLPTraceExporter();
  const resource = resourceFromAttributes({ 'service.name': 'csiflow', 'service.version': version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const common: Common = { resource, instrumentationScope: { name: 'csiflow', version } };
  return {
    send: (spans) =>
      new Promise((resolve, reject) => {
        exporter.export(
          spans.map((span) => readable(span, common)),
          ({ code, error }) => {
            if (code === SUCCESS) resolve();
            else reject(new Error(reasonOf(error)));
          },
        );
      }),
    shutdown: () => exporter.shutdown(),
  };
}

type Common = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

/** The collector's own words are omitted: an answer may repeat what it was sent. */
function reasonOf(error: Error | undefined): string {
  const code = error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `the collector answered ${code}`;
  return typeof code === 'string' ? code : 'the collector timed out';
}

function readable(span: Span, common: Common): ReadableSpan {
  const context = (id: string, trace = span.trace): SpanContext => ({
    traceId: trace,
    spanId: id,
    traceFlags: TraceFlags.SAMPLED,
  });
  return {
    ...common,
    name: span.name,
    kind: SpanKind.INTERNAL,
    status:
      span.error === null
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.error },
    spanContext: () => context(span.id),
    ...(span.parent !== null && { parentSpanContext: context(span.parent) }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    duration: hrTime(Math.max(0, span.end - span.start)),
    attributes: { ...span.attributes },
    links: span.links.map((link) => ({ context: context(link.span, link.id) })),
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** [seconds, nanoseconds] of microseconds. */
function hrTime(time: number): HrTime {
  const seconds = Math.floor(time / 1e6);
  return [seconds, Math.round((time - seconds * 1e6) * 1000)];
}
