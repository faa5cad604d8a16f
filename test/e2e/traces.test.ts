import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Csiflow } from '../support/csiflow.js';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

const folder = mkdtempSync(join(tmpdir(), 'csiflow-traces-'));
const spans = new Map<string, OtlpSpan>();
let collector: Server;
let csiflow: Csiflow;

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
      };
      for (const { scopeSpans } of resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.set(span.spanId, span);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  csiflow = new Csiflow(['run', 'topologies/demo.yaml', '--port', '0'], {
    env: { CSIFLOW_DATA: folder, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '0.5' },
  });
  await csiflow.printed(/the topology is running/);
}, 60_000);

afterAll(async () => {
  await csiflow.interrupt();
  collector.closeAllConnections();
  collector.close();
  rmSync(folder, { recursive: true });
}, 60_000);

/** Names from the first span of a trace to this one. */
function way(span: OtlpSpan): readonly string[] {
  const parent = span.parentSpanId === undefined ? undefined : spans.get(span.parentSpanId);
  return parent ? [...way(parent), span.name] : [span.name];
}

test('a frame of the demo is followed through window, network and tracker into the store and to the page', async () => {
  const stages = [
    'flat receive',
    'gain process',
    'clean process',
    'phase process',
    'windows process',
    'windows hold',
  ];
  const inferred = [...stages, 'poses process', 'people process'];
  for (const sink of ['history write', 'live write'])
    await expect
      .poll(() => [...spans.values()].filter(({ name }) => name === sink).map(way), { timeout: 60_000 })
      .toContainEqual([...inferred, sink]);
  for (const span of spans.values()) {
    const { traceId, parentSpanId, startTimeUnixNano: start, endTimeUnixNano: end } = span;
    const parent = parentSpanId === undefined ? undefined : spans.get(parentSpanId);
    expect(BigInt(end)).toBeGreaterThanOrEqual(BigInt(start));
    if (!parent) continue;
    expect(parent.traceId).toBe(traceId);
    // One clock times all spans of a trace: a child never begins before its parent, except for rounding.
    expect(Number(BigInt(start) - BigInt(parent.startTimeUnixNano))).toBeGreaterThan(-10e3);
  }
}, 90_000);
