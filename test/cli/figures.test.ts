import { describe, expect, test } from 'vitest';
import { figuresOf, ratesBetween, ratesJson, ratesText } from '../../api/cli/figures.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';

async function moment(at: number, fill: (metrics: ReturnType<typeof createMetrics>) => void) {
  const metrics = createMetrics();
  fill(metrics);
  return { at, nodes: figuresOf(await metrics.text()) };
}

test('rates are computed from two samples of the metrics', async () => {
  const before = await moment(0, (metrics) => {
    metrics.node('t', 'routers').receivedTotal = 100;
  });
  const after = await moment(2000, (metrics) => {
    const meter = metrics.node('t', 'routers');
    meter.receivedTotal = 300;
    meter.sentTotal = 50;
    meter.operatorSeconds = 0.5;
    meter.queueDepth = 7;
    meter.watermarkLags.add(() => 0.25);
    meter.dropped('queue_full', 4);
    meter.dropped('stale', 0);
    meter.failed('decode', 3);
  });
  expect(ratesBetween(before, after)).toEqual([
    {
      topology: 't',
      node: 'routers',
      is_source: false,
      received_per_s: 100,
      sent_per_s: 25,
      dropped_per_s: 2,
      dropped_by: { queue_full: 2, stale: 0 },
      failed_per_s: 1.5,
      queue_depth: 7,
      undelivered: 0,
      watermark_lag_s: 0.25,
      lag_growth: null,
      busy: 0.25,
      gate_closed: 0,
      dropped_total: { queue_full: 4, stale: 0 },
      missing_total: 0,
      failed_total: 3,
      reads: [],
    },
  ]);
});

test('totals restart after a new start, and rates are never negative', async () => {
  const before = await moment(0, (metrics) => {
    metrics.node('t', 'routers').receivedTotal = 1000;
  });
  const after = await moment(1000, (metrics) => {
    metrics.node('t', 'routers').receivedTotal = 20;
  });
  expect(ratesBetween(before, after)[0]!.received_per_s).toBe(20);
});

test('the table names the drops for each reason, and what is missing', async () => {
  const empty = await moment(0, () => undefined);
  const after = await moment(1000, (metrics) => {
    metrics.node('t', 'routers').dropped('queue_full', 4);
    metrics.node('t', 'routers').missing(6);
    metrics.node('t', 'history').queueDepth = 3;
  });
  const lines = ratesText(ratesBetween(empty, after)).split('\n');
  expect(lines[0]).toMatch(/^NODE +IN\/s +OUT\/s/);
  expect(lines[1]).toMatch(/^routers .* queue_full 4, missing 6$/);
  expect(lines[2]).toMatch(/^history /);
});

/** A moment of a topology whose nodes report themselves, listed against the order of the graph. */
const flow = (at: number, fill: (metrics: ReturnType<typeof createMetrics>) => void = () => undefined) =>
  moment(at, (metrics) => {
    for (const node of ['history', 'windows', 'routers', 'extra']) metrics.node('t', node);
    const nodes = [
      { id: 'routers', kind: 'source', type: 'udp', reads: [] },
      { id: 'windows', kind: 'operator', type: 'window', reads: ['routers'] },
      { id: 'history', kind: 'sink', type: 'duckdb', reads: ['routers', 'windows'] },
    ];
    metrics.topology('t', () => ({ state: 'running', checkpointAgeSeconds: null, nodes }));
    fill(metrics);
  });

test('nodes are in the order of the graph, indented by their distance from a source; unknown ones are last', async () => {
  const rates = ratesBetween(await flow(0), await flow(1000));
  expect(rates.map(({ node, reads }) => [node, reads])).toEqual([
    ['routers', []],
    ['windows', ['routers']],
    ['history', ['routers', 'windows']],
    ['extra', []],
  ]);
  const names = ratesText(rates)
    .split('\n')
    .map((line) => /^ *\w+/.exec(line)![0]);
  expect(names).toEqual(['NODE', 'routers', ' windows', '  history', 'extra']);
});

test('the bottleneck is the node that blocks the pump, otherwise the one with most waiting records', async () => {
  const at = async (fill: (metrics: ReturnType<typeof createMetrics>) => void) =>
    ratesBetween(await flow(0), await flow(1000, fill));
  const marked = (rates: Awaited<ReturnType<typeof at>>) =>
    ratesText(rates)
      .split('\n')
      .flatMap((line) => (line.endsWith('<- bottleneck') ? [line.trim().split(' ')[0]] : []));
  expect(marked(await at(() => undefined))).toEqual([]);
  const waiting = await at((metrics) => {
    metrics.node('t', 'windows').queueDepth = 30;
    metrics.node('t', 'history').queueDepth = 40;
    metrics.node('t', 'history').receivedTotal = 100;
  });
  expect(marked(waiting)).toEqual(['windows']);
  expect(JSON.parse(ratesJson(waiting, new Date(0)))).toMatchObject({
    time: '1970-01-01T00:00:00.000Z',
    bottleneck: { topology: 't', node: 'windows' },
  });
  // A slow store: its records wait on disk.
  const outbox = await at((metrics) => {
    metrics.node('t', 'windows').queueDepth = 30;
    metrics.node('t', 'history').gauge('outbox_records', 4800);
  });
  expect(marked(outbox)).toEqual(['history']);
  expect(ratesText(outbox)).toMatch(/^ *history .* 4800 /m);
  const blocking = await at((metrics) => {
    metrics.node('t', 'windows').queueDepth = 30;
    metrics.node('t', 'history').gateClosedSeconds = 0.8;
  });
  expect(marked(blocking)).toEqual(['history']);
});

describe('a machine that is too slow', () => {
  type Fill = (metrics: ReturnType<typeof createMetrics>) => void;
  /** Ten seconds in which the lag of the source grows from `lag` to another. */
  const over = async (lag: readonly [number, number], fill: Fill = () => undefined) => {
    const at = (time: number, seconds: number, more: Fill = () => undefined) =>
      flow(time, (metrics) => {
        metrics.node('t', 'routers').watermarkLags.add(() => seconds);
        more(metrics);
      });
    const rates = ratesBetween(await at(0, lag[0]), await at(10_000, lag[1], fill));
    return { rates, last: ratesText(rates).split('\n').at(-1) };
  };
  const waits: Fill = (metrics) => {
    metrics.node('t', 'routers').queueDepth = 200;
    metrics.node('t', 'windows').operatorSeconds = 7;
    metrics.node('t', 'history').operatorSeconds = 9;
  };

  test('drops what it has no time for', async () => {
    const { rates, last } = await over([2, 2], (metrics) => {
      waits(metrics);
      metrics.node('t', 'routers').dropped('stale', 900);
      metrics.node('t', 'routers').dropped('kernel_buffer', 300);
      metrics.node('t', 'routers').dropped('unknown_sender', 50);
    });
    expect(last).toBe(
      'This machine is too slow: routers is 2.0 s behind, and 120 records/s are dropped at routers. Most of the time goes to windows (70 %).',
    );
    expect(ratesText(rates)).not.toContain('<- bottleneck');
    expect(JSON.parse(ratesJson(rates, new Date(0)))).toMatchObject({
      bottleneck: null,
      too_slow: {
        ...{ topology: 't', source: 'routers', behind_s: 2, dropped_per_s: 120 },
        busiest: { node: 'windows', busy: 0.7 },
      },
    });
  });

  test('falls further behind', async () => {
    expect((await over([2, 6], waits)).last).toMatch(/^This machine is too slow: routers is 6\.0 s behind\./);
  });

  test('is said beside the bottleneck of another topology', async () => {
    const { rates, last } = await over([2, 2], (metrics) => {
      metrics.node('t', 'history').gateClosedSeconds = 8;
      metrics.topology('u', () => ({
        ...{ state: 'running', checkpointAgeSeconds: null },
        nodes: [{ id: 'boards', kind: 'source', type: 'udp', reads: [] }],
      }));
      metrics.node('u', 'boards').dropped('stale', 900);
    });
    expect(last).toBe('This machine is too slow: 90 records/s are dropped at u/boards.');
    expect(JSON.parse(ratesJson(rates, new Date(0)))).toMatchObject({
      bottleneck: { topology: 't', node: 'history' },
      too_slow: { topology: 'u', source: 'boards' },
    });
  });

  test.each<[string, readonly [number, number], Fill]>([
    ['a source that catches up', [9, 4], waits],
    ['a source that hears nothing', [2, 12], () => undefined],
    [
      'drops for other reasons',
      [0, 0],
      (metrics) => {
        metrics.node('t', 'routers').dropped('unknown_sender', 900);
      },
    ],
    [
      'a node that blocks the pump',
      [2, 6],
      (metrics) => {
        waits(metrics);
        metrics.node('t', 'routers').dropped('stale', 900);
        metrics.node('t', 'history').gateClosedSeconds = 8;
      },
    ],
  ])('is not the cause of %s', async (_, lag, fill) => {
    const { rates } = await over(lag, fill);
    expect(ratesText(rates)).not.toContain('too slow');
    expect(JSON.parse(ratesJson(rates, new Date(0)))).toMatchObject({ too_slow: null });
  });
});
