import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { InfluxError } from '../../sinks/shared/line-protocol/error.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { pointKey, pointsOf } from '../../sinks/shared/line-protocol/points.js';
import { decodeTag, encodeTag, TagValues } from '../../sinks/shared/line-protocol/tags.js';
import fc from 'fast-check';
import { withDefaults } from '../kit/definition.js';
import { testContext, type Recorded } from '../support/context.js';
import { startInfluxStub, type InfluxStub, type StubPoint } from '../support/influx-stub.js';
import { measure, person, poseFrame, sensedEvent } from '../support/records.js';

let stub: InfluxStub;
let sink: Sink;
let recorded: Recorded;
let elapsed: number;

beforeEach(async () => {
  stub = await startInfluxStub();
  elapsed = 0;
});
afterEach(async () => {
  await sink.close();
  await stub.close();
});

async function open(config: object = {}): Promise<Sink> {
  const made = testContext({ clock: { now: () => 1_700_000_000_000_000, elapsed: () => elapsed } });
  recorded = made.recorded;
  sink = influxdb.create(
    withDefaults(influxdb, { url: stub.url, database: 'csi', timeout_ms: 2_000, ...config }) as never,
    made.context,
  );
  await sink.open();
  return sink;
}

const points = (measurement: string): StubPoint[] =>
  [...stub.points.values()].filter((point) => point.measurement === measurement);

describe('points', () => {
  test('persons of one frame are separate points, and no track is a tag', async () => {
    await open();
    await sink.write([poseFrame(0, { people: 3 })], 1);
    expect(points('pose').map(({ fields }) => fields['track_id'])).toEqual(['1i', '2i', '3i']);
    expect(points('pose').map(({ tags }) => tags)).toEqual(
      Array(3).fill({ environment: 'test-room', origin: 'simulated' }),
    );
    expect(points('track')).toHaveLength(3);
    expect(points('occupancy')[0]!.fields['person_count']).toBe('3i');
  });

  test('lost, tentative and ended tracks are persons of the frame, but not counted as people', async () => {
    await open();
    const states = ['active', 'lost', 'tentative', 'ended', 'active'] as const;
    const persons = states.map((state, index) =>
      person(0, index, { track: { ...person(0, index).track!, state } }),
    );
    await sink.write(
      [poseFrame(0, { persons }), poseFrame(1, { persons: [person(1, 0, { track: null })] })],
      1,
    );
    const [tracked, untracked] = points('occupancy').map(({ fields }) => fields);
    expect(tracked).toMatchObject({ person_count: '5i', people: '2i' });
    expect(untracked).toMatchObject({ person_count: '1i', people: '1i' });
  });

  test('a thousand tracks share sixteen slots', async () => {
    await open();
    const frames = Array.from({ length: 1_000 }, (_, index) =>
      poseFrame(index, {
        persons: [person(index, 0, { track: { ...person(0).track!, id: index } })],
      }),
    );
    expect(await sink.write(frames, 1)).toEqual([]);
    expect(new Set(points('track').map(({ tags }) => tags['slot'])).size).toBe(16);
    expect(points('track')).toHaveLength(1_000);
  });

  test('two persons with one vital sign at one time are two points', async () => {
    await open();
    const breathing = (subject: string) => measure(0, { name: 'breathing_rate_bpm', subject });
    await sink.write(['3', '19', '35'].map(breathing), 1);
    expect(points('vitals').map(({ fields }) => fields['person'])).toEqual(['3i', '19i', '35i']);
    expect(new Set(points('vitals').map(({ tags }) => tags['slot']))).toEqual(new Set(['3']));
  });

  test('rejects a tag beyond a thousand values', async () => {
    await open();
    const many = Array.from({ length: 1_002 }, (_, index) => measure(0, { subject: `thing-${index}` }));
    const failures = await sink.write([...many, measure(1), many[0]!], 1);
    expect(failures.map(({ record }) => record)).toEqual(many.slice(1_000));
    expect(failures[0]!.reason).toContain('1001st value');
  });

  test('rejects NaN, and writes a bigint as a number', async () => {
    await open();
    const bad = [measure(0, { value: NaN }), measure(1, { value: Infinity })];
    const odd = measure(2, { value: 7n as unknown as number });
    const event = sensedEvent(0, { metadata: { count: 9n as unknown as number } });
    const failures = await sink.write([...bad, odd, event], 1);
    expect(failures.map(({ record, code }) => [record, code])).toEqual(
      bad.map((record) => [record, 'store.value.invalid']),
    );
    expect(failures[0]!.reason).toBe('measure.value is NaN: only finite numbers can be stored');
    expect(points('motion')[0]!.fields['value']).toBe('7');
    expect(points('event')[0]!.fields['metadata']).toBe('"{\\"count\\":9}"');
  });

  test('an event that InfluxDB would take for another one is reported, not overwritten', async () => {
    await open();
    const first = sensedEvent(0, { id: 'a' });
    // FNV-1a of these two differs, so the collision uses one id and two contents with the same hash.
    const twin = idWithNanosecondOf('a');
    expect(await sink.write([first, first], 1)).toEqual([]);
    const [failure] = await sink.write([sensedEvent(0, { id: twin })], 1);
    expect(failure).toMatchObject({ code: 'influxdb.point.taken', retriable: false });
    expect(points('event').map(({ fields }) => fields['id'])).toEqual(['"a"']);
  });

  test('measures that differ in name, subject or source are separate points; equal ones are one', () => {
    const subject = fc.oneof(
      fc.constant(null),
      fc.constantFrom('link-1', 'link-2', ''),
      fc.nat({ max: 15_000 }).map(String),
    );
    const facts = fc.record({
      name: fc.constantFrom('motion', 'rssi', 'x', ''),
      subject,
      source: fc.constantFrom('csiflow', 'a'),
    });
    fc.assert(
      fc.property(fc.uniqueArray(facts, { selector: (fact) => JSON.stringify(fact) }), (all) => {
        const keys = () => {
          const tags = new TagValues([]);
          return all.map((fact) => pointKey(pointsOf(measure(0, fact), tags)[0]!));
        };
        expect(new Set(keys()).size).toBe(all.length);
        expect(keys()).toEqual(keys());
      }),
    );
  });

  test('any text can be a tag, and is read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const tag = encodeTag(text);
        expect(decodeTag(tag)).toBe(text);
        expect(tag).toMatch(/^[^\\\u0000-\u001f]+$/);
      }),
    );
  });
});

/** Another id whose event gets the same nanosecond, found by trial. */
function idWithNanosecondOf(id: string): string {
  const nanosecond = (text: string) => {
    let hash = 0x811c9dc5;
    for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
    return (hash >>> 0) % 1_000;
  };
  for (let number = 0; ; number++) if (nanosecond(`x${number}`) === nanosecond(id)) return `x${number}`;
}

describe('requests', () => {
  test('batches have the configured size, and state their precision', async () => {
    await open({ batch_points: 10 });
    await sink.write(
      Array.from({ length: 25 }, (_, index) => measure(index)),
      1,
    );
    const writes = stub.requests.filter(({ path }) => path.startsWith('/write'));
    expect(writes.map(({ body }) => body.split('\n').length)).toEqual([10, 10, 5]);
    expect(writes.every(({ path }) => path.includes('precision=n'))).toBe(true);
  });

  test.each([
    [{ token: 'abc' }, 'Token abc'],
    [{ username: 'u', password: 'p:w' }, `Basic ${Buffer.from('u:p:w').toString('base64')}`],
    [{}, undefined],
  ])('with %o it reports that it is %s', async (config, authorization) => {
    await open(config);
    await sink.write([measure(0)], 1);
    const said = stub.requests.filter(({ path }) => path !== '/ping').map((request) => request.authorization);
    expect(new Set(said)).toEqual(new Set([authorization]));
  });

  test("only the invalid record of a rejected batch fails, with the server's reason", async () => {
    await open();
    const bad = measure(13, { value: 13 });
    stub.onWrite = (lines) =>
      lines.some((line) => line.includes('value=13 '))
        ? { status: 400, body: '{"error":"unlucky number"}' }
        : undefined;
    const records = Array.from({ length: 40 }, (_, index) => (index === 13 ? bad : measure(index)));
    expect(await sink.write(records, 1)).toEqual([
      { record: bad, code: 'influxdb.refused', reason: 'unlucky number', retriable: false },
    ]);
    expect(points('motion')).toHaveLength(39);
  });

  test('an interrupted write resumes there, and reports its refusals at the end', async () => {
    await open({ batch_points: 4 });
    const records = Array.from({ length: 20 }, (_, index) => measure(index, { value: index }));
    const bad = records[2]!;
    let writes = 0;
    stub.onWrite = (lines) => {
      if (lines.some((line) => line.includes('value=2 '))) return { status: 400, body: '{"error":"two"}' };
      return ++writes % 3 === 0 ? { status: 503 } : undefined;
    };
    const tries: unknown[] = [];
    do
      tries.push(
        await sink.write(structuredClone(records), 1).catch((error: unknown) => (error as InfluxError).code),
      );
    while (typeof tries.at(-1) === 'string');
    expect(tries).toEqual([
      'influxdb.unavailable',
      'influxdb.unavailable',
      [{ record: bad, code: 'influxdb.refused', reason: 'two', retriable: false }],
    ]);
    expect(points('motion')).toHaveLength(19);
  });

  test('a batch that is too large is halved', async () => {
    await open();
    stub.onWrite = (lines) => (lines.length > 4 ? { status: 413, body: '' } : undefined);
    expect(
      await sink.write(
        Array.from({ length: 20 }, (_, index) => measure(index)),
        1,
      ),
    ).toEqual([]);
    expect(points('motion')).toHaveLength(20);
  });

  test.each([
    [429, { 'Retry-After': '30' }],
    [503, { 'Retry-After': '30' }],
    [503, { Date: 'Wed, 01 Jan 2025 00:00:00 GMT', 'Retry-After': 'Wed, 01 Jan 2025 00:00:30 GMT' }],
  ])('after %i with %o it sends nothing until then', async (status, headers) => {
    await open();
    stub.onWrite = () => ({ status, headers });
    await expect(sink.write([measure(0)], 1)).rejects.toMatchObject({ code: 'influxdb.busy' });
    const asked = stub.requests.length;
    stub.onWrite = () => undefined;
    elapsed = 29_999;
    await expect(sink.write([measure(0)], 1)).rejects.toThrow('asked not to be called');
    expect(stub.requests).toHaveLength(asked);
    elapsed = 30_000;
    expect(await sink.write([measure(0)], 1)).toEqual([]);
  });

  test.each([401, 403])('%i is a fault of the credentials, not of the records', async (status) => {
    await open({ username: 'writer', password: 'canary-7f3a' });
    stub.onWrite = () => ({ status, body: '{"error":"authorization failed"}' });
    const write = sink.write([measure(0)], 1);
    await expect(write).rejects.toMatchObject({ code: 'influxdb.credentials' });
    await expect(write).rejects.toThrow("user 'writer'");
    await expect(write).rejects.not.toThrow('canary-7f3a');
  });

  test.each([500, 502, 503])("%i fails the whole write, with the server's message", async (status) => {
    await open();
    stub.onWrite = () => ({ status, headers: { 'X-Influxdb-Error': 'no space left on device' } });
    await expect(sink.write([measure(0)], 1)).rejects.toThrow('no space left on device');
    stub.onWrite = () => undefined;
    expect(await sink.write([measure(0)], 1)).toEqual([]);
  });

  test('a connection cut within the answer fails the write at once', async () => {
    await open();
    stub.onWrite = () => ({ status: 200, cut: true });
    await expect(sink.write([measure(0)], 1)).rejects.toThrow('cut within the answer');
    stub.onWrite = () => undefined;
    expect(await sink.write([measure(0)], 1)).toEqual([]);
  });

  test('waits for a server that is offline at the start', async () => {
    const { url } = stub;
    await stub.close();
    await open({ url });
    expect(recorded.lines.map(({ message }) => message)).toEqual([
      'InfluxDB is offline: records wait in the outbox',
    ]);
    await expect(sink.write([measure(0)], 1)).rejects.toMatchObject({ code: 'influxdb.unavailable' });
    stub = await startInfluxStub();
  });

  test('reports a database without a default policy at the start', async () => {
    stub.onQuery = () => [{ columns: ['name', 'duration', 'default'], values: [['other', '0s', false]] }];
    await expect(open()).rejects.toThrow('name one in retention_policy');
  });

  test.each([
    [503, 'cannot tell of bucket csi now (503)'],
    [403, 'give the token rights on buckets'],
  ])('InfluxDB 2 that answers %i for its buckets is waited for, or reported', async (status, message) => {
    stub.version = 'v2.7.12';
    stub.onBuckets = () => ({ status });
    const start = open({ token: 'canary', retention_days: 90 });
    if (status === 403) await expect(start).rejects.toThrow(message);
    else {
      await start;
      expect(JSON.stringify(recorded.lines)).toContain(message);
    }
  });
});
