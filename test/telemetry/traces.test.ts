import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { Sampler, traceSettings, type Span, type Tracer } from '../../pipeline/telemetry/traces/index.js';
import { openTracer } from '../../pipeline/telemetry/traces/otlp.js';
import { SpanQueue } from '../../pipeline/telemetry/traces/span-queue.js';
import { counter, jitter, runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';

class Recorder implements Tracer {
  readonly ratio: number;
  readonly spans: Span[] = [];
  constructor(ratio: number) {
    this.ratio = ratio;
  }
  record(span: Span): void {
    this.spans.push(span);
  }
}

/** Frames 0 to 100 in blocks of 7, summed every 10 ms; each sum is passed on later, then stored. */
async function traced(ratio: number): Promise<readonly Span[]> {
  const tracer = new Recorder(ratio);
  const topology = topologyOf(
    {
      in: { component: counter, config: { count: 100 } },
      sums: { component: sum, from: ['in'] },
      late: { component: jitter, from: ['sums'] },
      out: { component: new Table().component, from: ['late'] },
    },
    temporaryFolder(),
    { checkpointIntervalMs: 60_000 },
  );
  const runner = runnerOf(topology, { tracer });
  await runner.start();
  await runner.finished();
  return tracer.spans;
}

const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);

test('a frame is followed from its arrival through queue, operator, wait, stage and sink', async () => {
  const spans = await traced(1);
  const byId = new Map(spans.map((span) => [span.id, span]));
  const written = named(spans, 'out write');
  expect(written.length).toBeGreaterThan(0);
  for (const span of written) {
    const path: string[] = [];
    for (let at: Span | undefined = span; at; at = at.parent === null ? undefined : byId.get(at.parent)) {
      expect(at.trace).toBe(span.trace);
      path.unshift(at.name);
    }
    expect([
      ['in receive', 'sums process', 'late process', 'out write'],
      ['in receive', 'sums process', 'sums hold', 'late process', 'out write'],
    ]).toContainEqual(path);
  }
  expect(written.some((span) => byId.get(byId.get(span.parent!)!.parent!)!.name === 'sums hold')).toBe(true);
  for (const { id, trace } of named(spans, 'in receive'))
    for (const name of ['in queue', 'in decode'])
      expect(
        spans.filter((span) => span.name === name && span.parent === id && span.trace === trace),
      ).toHaveLength(1);
  for (const { start, end } of spans) expect(end).toBeGreaterThanOrEqual(start);
});

test('of frames merged into one record the oldest continues, and the others end with a link to it', async () => {
  const spans = await traced(1);
  const linked = spans.filter(({ links }) => links.length > 0);
  expect(linked.length).toBeGreaterThan(0);
  const ids = new Set(spans.map(({ id }) => id));
  for (const { links, trace } of linked) {
    expect(links[0]!.id).not.toBe(trace);
    expect(ids).toContain(links[0]!.span);
  }
});

test('the same input gives the same traces', async () => {
  const ids = async () =>
    (await traced(0.05)).map(({ trace, id, parent, name }) => [trace, id, parent, name]).sort();
  const first = await ids();
  expect(first.length).toBeGreaterThan(0);
  expect(await ids()).toEqual(first);
});

test('spans identify the frame, and contain nothing of it', async () => {
  const [root] = named(await traced(1), 'in receive');
  expect(root!.attributes).toEqual({
    'csiflow.topology': 'test',
    'csiflow.node': 'in',
    'csiflow.component': 'counter',
    'csiflow.frame.time': '1970-01-01T00:00:00.000Z',
    'csiflow.frame.port': 'csi',
    'csiflow.frame.link': expect.any(String) as string,
    'csiflow.frame.sequence': 0,
  });
});

test('a sampler chooses its share of frames, each by its time alone', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.string(), (ratio, name) => {
      const sampler = new Sampler(ratio, name);
      const times = Float64Array.from({ length: 4000 }, (_, index) => 1.7e15 + index * 10_000);
      const chosen = times.filter((time) => sampler.chooses(time));
      expect(Math.abs(chosen.length / times.length - ratio)).toBeLessThan(0.06);
      expect(sampler.first(times, times.length)).toBe(chosen.length === 0 ? -1 : times.indexOf(chosen[0]!));
    }),
    { numRuns: 30 },
  );
});

test('nothing is traced without an endpoint; an invalid setting is rejected without showing passwords', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(traceSettings({})).toBeNull();
  expect(traceSettings({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  expect(traceSettings({ ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' })).toBeNull();
  expect(traceSettings(endpoint)).toEqual({ ratio: 0.001 });
  expect(traceSettings({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: '0.5' })).toEqual({ ratio: 0.5 });
  expect(traceSettings({ ...endpoint, OTEL_TRACES_SAMPLER: 'always_on' })).toEqual({ ratio: 1 });
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:canary@host'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/not/there.pem'],
  ] as const) {
    const refused = () => traceSettings({ ...endpoint, [name]: value });
    expect(refused).toThrow(expect.objectContaining({ code: 'traces.setting' }));
    expect(refused).toThrow(name);
    expect(refused).not.toThrow('canary');
  }
});

const span = (index: number): Span => ({
  trace: index.toString(16).padStart(32, '0'),
  id: index.toString(16).padStart(16, '0'),
  parent: null,
  name: 'in receive',
  start: 1_700_000_000_123_456,
  end: 1_700_000_000_124_000,
  attributes: { 'csiflow.node': 'in', 'csiflow.frame.sequence': index },
  error: null,
  links: [],
});

test('a queue of spans is bounded: rejected spans are dropped and counted', async () => {
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const batches: number[] = [];
  let release: () => void = () => undefined;
  const queue = new SpanQueue({
    ratio: 1,
    capacity: 10,
    batch: 4,
    send: async (spans) => {
      batches.push(spans.length);
      await new Promise<void>((resolve) => (release = resolve));
      if (batches.length === 2) throw new Error('no');
    },
    onResult: (result, count) => {
      counts[result] += count;
    },
  });
  for (let index = 0; index < 20; index++) queue.record(span(index));
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: 6 });
  const closed = queue.close(5_000);
  for (let batch = 1; batch <= 4; batch++) {
    await expect.poll(() => batches.length).toBe(batch);
    release();
  }
  await closed;
  expect(batches).toEqual([4, 4, 4, 2]);
  expect(counts).toEqual({ exported: 10, failed: 4, dropped: 6 });
});

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Accepts OTLP as JSON, like a collector. */
async function collector(status = 200) {
  const requests: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] =
    [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ url: request.url!, headers: request.headers, body });
      if (status > 0) response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function environment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  cleanups.push(async () => {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  });
}

/** Logged lines, and the tracer under test. */
function tracerOf() {
  const lines: string[] = [];
  const metrics = createMetrics();
  const log = createLogger({ destination: { write: (line) => lines.push(line) } });
  return { lines, metrics, tracer: openTracer({ ratio: 1 }, { metrics, log, version: '9.9.9' }) };
}

const counted = async (
  metrics: ReturnType<typeof createMetrics>,
  result: string,
): Promise<string | undefined> =>
  new RegExp(`csiflow_trace_spans_total\\{result="${result}"\\} (\\d+)`).exec(await metrics.text())?.[1];

test('spans arrive at a collector as OTLP, with its headers', async () => {
  const { requests, url } = await collector();
  environment({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=ward',
  });
  const { tracer, metrics } = tracerOf();
  const child = {
    ...span(2),
    trace: span(1).trace,
    parent: span(1).id,
    error: 'no',
    links: [{ id: span(3).trace, span: span(3).id }],
  };
  tracer.record(span(1));
  tracer.record(child);
  await tracer.close();
  expect(requests).toHaveLength(1);
  expect(requests[0]!.url).toBe('/v1/traces');
  expect(requests[0]!.headers.authorization).toBe('Bearer abc');
  const { resourceSpans } = JSON.parse(requests[0]!.body) as {
    resourceSpans: {
      resource: { attributes: { key: string; value: { stringValue: string } }[] };
      scopeSpans: { scope: { name: string }; spans: Record<string, unknown>[] }[];
    }[];
  };
  const { resource, scopeSpans } = resourceSpans[0]!;
  const attributes = Object.fromEntries(
    resource.attributes.map(({ key, value }) => [key, value.stringValue]),
  );
  expect(attributes).toMatchObject({
    'service.name': 'csiflow',
    'service.version': '9.9.9',
    'deployment.environment': 'ward',
  });
  expect(scopeSpans[0]!.scope.name).toBe('csiflow');
  expect(scopeSpans[0]!.spans).toMatchObject([
    {
      traceId: span(1).trace,
      spanId: span(1).id,
      name: 'in receive',
      startTimeUnixNano: '1700000000123456000',
      endTimeUnixNano: '1700000000124000000',
      attributes: [
        { key: 'csiflow.node', value: { stringValue: 'in' } },
        { key: 'csiflow.frame.sequence', value: { intValue: 1 } },
      ],
      status: { code: 0 },
    },
    {
      traceId: span(1).trace,
      spanId: span(2).id,
      parentSpanId: span(1).id,
      status: { code: 2, message: 'no' },
      links: [{ traceId: span(3).trace, spanId: span(3).id }],
    },
  ]);
  expect(await counted(metrics, 'exported')).toBe('2');
});

test('a collector that rejects is counted and logged without credentials; nobody waits for it', async () => {
  const { url } = await collector(401);
  environment({
    OTEL_EXPORTER_OTLP_ENDPOINT: url.replace('//', '//user:canary-url@'),
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=canary-header',
  });
  const { tracer, metrics, lines } = tracerOf();
  tracer.record(span(1));
  await tracer.close();
  expect(await counted(metrics, 'failed')).toBe('1');
  expect(lines.join()).toContain('the collector answered 401');
  expect(lines.join()).not.toContain('canary');
});

test('a collector that hangs delays neither the pipeline nor the end', async () => {
  const { url, requests } = await collector(0);
  environment({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  const { tracer, metrics } = tracerOf();
  const topology = topologyOf(
    {
      in: { component: counter, config: { count: 20_000 } },
      sums: { component: sum, from: ['in'] },
      out: { component: new Table().component, from: ['sums'] },
    },
    temporaryFolder(),
  );
  const runner = runnerOf(topology, { tracer });
  await runner.start();
  await runner.finished();
  expect(requests.length).toBeLessThanOrEqual(1);
  await tracer.close();
  expect(Number(await counted(metrics, 'dropped'))).toBeGreaterThan(1000);
});
