import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Counter } from 'prom-client';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { TraceSettings } from './settings.js';
import { SpanQueue, type SendSpans } from './span-queue.js';
import type { Span, Tracer } from './trace.js';

/** A tracer whose spans leave the process. */
export interface OpenTracer extends Tracer {
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;
/** Of the W3C's trace context: this trace was sampled. */
const SAMPLED = 1;

/**
 * Sends spans to an OpenTelemetry collector, by OTLP over HTTP as JSON. Its address, headers and certificates
 * are read from the environment (OTEL_EXPORTER_OTLP_*). OpenTelemetry itself is loaded here alone.
 * @param version of csiflow
 */
export async function openTracer(
  { ratio }: TraceSettings,
  { metrics, log, version }: { readonly metrics: Metrics; readonly log: Log; readonly version: string },
): Promise<OpenTracer> {
  const results = new Counter({
    name: 'csiflow_trace_spans_total',
    help: 'Spans of sampled frames by what became of them.',
    labelNames: ['result'],
    registers: [metrics.registry],
  });
  const { send, shutdown } = await otlpSender(version);
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
      shutdown();
    },
  };
}

async function otlpSender(version: string): Promise<{ send: SendSpans; shutdown: () => void }> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes, detectResources, envDetector }] = await Promise.all(
    [import('@opentelemetry/exporter-trace-otlp-http'), import('@opentelemetry/resources')],
  );
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
            // 0: success.
            if (code === 0) resolve();
            else reject(new Error(reasonOf(error)));
          },
        );
      }),
    shutdown: () => {
      // Waits for requests under way, which nobody waits for any more.
      exporter.shutdown().catch(() => undefined);
    },
  };
}

type Common = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

/** A collector's own words are left out: an answer may repeat what it was sent. */
function reasonOf(error: Error | undefined): string {
  const code = error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `the collector answered ${code}`;
  return typeof code === 'string' ? code : 'the collector did not take them in time';
}

function readable(span: Span, common: Common): ReadableSpan {
  const context = (id: string, trace = span.trace): SpanContext => ({
    traceId: trace,
    spanId: id,
    traceFlags: SAMPLED,
  });
  return {
    ...common,
    name: span.name,
    // SpanKind.INTERNAL, SpanStatusCode.UNSET and ERROR: numbers of OpenTelemetry's data model.
    kind: 0,
    status: span.error === null ? { code: 0 } : { code: 2, message: span.error },
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
