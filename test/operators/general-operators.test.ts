import { describe, expect, test } from 'vitest';
import { aggregate } from '../../operators/aggregate/aggregate.js';
import { delayUntil } from '../../operators/delay-until/delay-until.js';
import { join } from '../../operators/join/join.js';
import { map } from '../../operators/map/map.js';
import { sample } from '../../operators/sample/sample.js';
import { throttle } from '../../operators/throttle/throttle.js';
import type { Output } from '../../pipeline/component/index.js';
import { knownAt, type Data } from '../../pipeline/model/index.js';
import type { Result } from '../../operators/shared/record-series.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent, START } from '../support/records.js';

const aggregated = { window_ms: 60_000, late_ms: 0, give: ['count'] as const, name: 'falls' };

describe('a constant expression ignores records of other ports', () => {
  test('aggregate: a literal value', () => {
    const node = aggregate.create(
      { ...aggregated, give: ['sum'], value: '2.0', where: 'event.confidence >= 0.0' },
      testContext().context,
    );
    expect(node.process(measure(0), '')).toEqual({ data: [] });
    expect(node.process(sensedEvent(1), '')).toEqual({ data: [] });
    expect(node.watermark!(Infinity).data).toMatchObject([{ name: 'falls_sum', value: 2 }]);
  });

  test('delay-until: a literal time', () => {
    const node = delayUntil.create(
      { until: 'timestamp("2030-01-01T00:00:00Z")', where: 'event.confidence >= 0.0' },
      testContext().context,
    );
    expect(node.process(measure(0), '')).toEqual({ data: [measure(0)] });
    expect(node.process(sensedEvent(1), '')).toEqual({ data: [] });
  });

  test('map: a literal value', () => {
    const config = { measure: { name: 'falls', value: '1', subject: 'event.person' } };
    const node = map.create(config, testContext().context);
    expect(map.check!(config)).toEqual([]);
    expect(map.check!({ measure: { name: 'x', value: '1' } })).toMatchObject([{ path: ['measure'] }]);
    expect(node.process(measure(0), '')).toEqual({ data: [measure(0)] });
    expect(node.process(sensedEvent(1), '')).toMatchObject({ data: [{ value: 1, subject: '1' }] });
  });
});

test('records about nobody form their own series, without a subject', () => {
  const crowd = sensedEvent(0, { person: null });
  const seldom = throttle.create({ interval_ms: 60_000, by: 'event.person' }, testContext().context);
  expect(seldom.process(crowd, '')).toEqual({ data: [crowd] });
  const counts = aggregate.create(
    { ...aggregated, give: ['count'], by: 'event.person' },
    testContext().context,
  );
  expect(counts.process(crowd, '')).toEqual({ data: [] });
  expect(counts.watermark!(Infinity).data).toMatchObject([{ subject: null, value: 1 }]);
});

test('join remembers the newest record, even if an older one follows', () => {
  const node = join.create(
    { where: 'measure.value >= 0.0', set: { 'metadata.known': 'latest.value' }, max_age_ms: 60_000 },
    testContext().context,
  );
  void node.process(measure(20, { value: 2 }), '');
  void node.process(measure(10, { value: 1 }), '');
  const { data } = node.process(sensedEvent(30), '') as Output<Data>;
  expect(data).toMatchObject([{ metadata: { known: 2 } }]);
});

test('a field is set from a record of its own kind, and a severity is valid', () => {
  expect(map.check!({ set: { severity: 'measure.value > 1 ? "high" : "low"' } })).toMatchObject([
    { path: ['set', 'severity'], message: 'reads `measure`, but is a field of `event`' },
  ]);
  expect(map.check!({ set: { severity: '"hihg"' } })).toMatchObject([{ suggestion: 'high' }]);
  expect(map.check!({ set: { severity: '"high"' } })).toEqual([]);
});

test('a dead letter names the failed expression', () => {
  const node = map.create({ set: { confidence: 'event.metadata.sure' } }, testContext().context);
  expect(node.process(sensedEvent(0), '')).toMatchObject({
    failed: [
      {
        reason: 'the record has no `sure`; test `has(...)` first, in `event.metadata.sure`',
      },
    ],
  });
});

test('aggregate: a window waits for late records, and drops those that come after that', () => {
  const { context, recorded } = testContext();
  const minute = Math.floor(START / 60e6) * 60e6;
  const node = aggregate.create(
    { ...aggregated, late_ms: 30_000, where: 'event.confidence >= 0.0', give: ['count'] },
    context,
  );
  const fallsAt = (second: number) => node.process(sensedEvent(0, { time: minute + second * 1e6 }), '');
  const passes = (second: number) => node.watermark!(minute + second * 1e6).data;
  void fallsAt(10);
  expect(passes(89)).toEqual([]);
  void fallsAt(50);
  expect(passes(90)).toMatchObject([{ time: minute + 60e6, value: 2 }]);
  void fallsAt(55);
  expect(recorded.dropped).toEqual({ late: 1 });
});

test('aggregate: overlapping windows continue unchanged after a restart', () => {
  const config = {
    ...aggregated,
    window_ms: 4000,
    hop_ms: 1000,
    value: 'measure.value',
    give: ['median', 'count'] as const,
  };
  const make = () => aggregate.create({ ...config, give: [...config.give] }, testContext().context);
  const [whole, before] = [make(), make()];
  const given: Record<'whole' | 'cut', unknown[]> = { whole: [], cut: [] };
  let cut = before;
  for (let index = 0; index < 120; index++) {
    // One record every 100 ms, with a gap longer than a window.
    const record = measure(index < 60 ? index : index + 200, { value: index % 7 });
    for (const [name, node] of [
      ['whole', whole],
      ['cut', cut],
    ] as const) {
      given[name].push(...node.watermark!(record.time - 1).data);
      void node.process(record, '');
    }
    if (index % 25 !== 0) continue;
    const next = make();
    next.restore!(structuredClone(cut.snapshot!()));
    cut = next;
  }
  given.whole.push(...whole.watermark!(Infinity).data);
  given.cut.push(...cut.watermark!(Infinity).data);
  expect(given.whole.length).toBeGreaterThan(20);
  expect(given.cut).toEqual(given.whole);
  expect(whole.snapshot!()).toMatchObject({ series: [] });
});

/** Poses of four minutes, five a second, whose window ends a second after their time; and the watermarks behind them. */
const poses = Array.from({ length: 1200 }, (_, index) => {
  const windowEnd = Math.ceil(START / 60e6) * 60e6 + 200_000 * (index + 1);
  return { ...poseFrame(index), time: windowEnd - 1_000_000, windowEnd };
});

/** What comes out of operators behind one another, as the runtime calls them. */
function through(
  records: readonly Data[],
  operators: readonly ReturnType<typeof sample.create>[],
): readonly Data[] {
  const [first, ...rest] = operators;
  if (!first) return records;
  const out: Data[] = [];
  const pass = (given: readonly Data[], time: number, [node, ...others]: typeof operators): void => {
    if (!node) return void out.push(...given);
    const results = given.flatMap((record) => (node.process(record as never, '') as Output<Data>).data);
    const ended = (node.watermark?.(time) as Output<Data> | undefined)?.data ?? [];
    pass([...results, ...ended], node.holdWatermark?.(time) ?? time, others);
  };
  for (const record of records)
    pass([record], record.port === 'pose' ? record.windowEnd : Infinity, operators);
  pass([], Infinity, [first, ...rest]);
  return out;
}

describe('poses, whose time is the middle of their window', () => {
  const count = { measure: { name: 'people', value: 'size(pose.persons)' } };

  test.each([
    ['poses', [] as const],
    ['measures of them', [map.create(count, testContext().context)] as const],
  ])('one of the %s a minute', (_, before) => {
    const each = sample.create({ interval_ms: 60_000 }, testContext().context);
    const out = through(poses, [...before, each] as never);
    const minutes = out.map((record) => Math.floor(knownAt(record as Result) / 60e6));
    expect(new Set(minutes).size).toBe(minutes.length);
    expect(minutes.length).toBeGreaterThanOrEqual(4);
  });

  test('map holds event time back from the start, also with the state of a version that had none', () => {
    const [fresh, older] = [
      map.create(count, testContext().context),
      map.create(count, testContext().context),
    ];
    older.restore!(undefined);
    for (const node of [fresh, older]) expect(node.holdWatermark!(5_000_000)).toBe(4_000_000);
    const ofEvents = map.create(
      { measure: { name: 'sure', value: 'event.confidence' } },
      testContext().context,
    );
    expect(ofEvents.holdWatermark!(5_000_000)).toBe(5_000_000);
  });

  test.each([
    ['all of them', [] as const, 1200],
    ['one a second', [sample.create({ interval_ms: 1000 }, testContext().context)] as const, 241],
  ])('%s count in the windows of aggregate', (_, before, expected) => {
    const { context, recorded } = testContext();
    const counted = aggregate.create(
      { late_ms: 0, window_ms: 60_000, name: 'frames', give: ['count'], where: 'pose.links >= 0' },
      context,
    );
    const out = through(poses, [...before, counted] as never);
    expect(out.reduce((sum, record) => sum + (record as { value: number }).value, 0)).toBe(expected);
    expect(recorded.dropped).toEqual({});
  });
});
