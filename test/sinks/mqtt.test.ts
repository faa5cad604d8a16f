import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { startBroker } from '../support/mqtt-broker.js';
import { measure, person, poseFrame, sensedEvent } from '../support/records.js';
import { eventually } from '../support/waiting.js';

interface Seen {
  readonly topic: string;
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly retain: boolean;
}

let broker: Awaited<ReturnType<typeof startBroker>>;
let reader: MqttClient;
let seen: Seen[];
let sinks: Sink[];

beforeEach(async () => {
  broker = await startBroker();
  seen = [];
  sinks = [];
  reader = await listen(seen);
});

afterEach(async () => {
  for (const sink of sinks) await sink.close();
  await reader.endAsync(true);
  await broker.close();
});

const url = () => `mqtt://127.0.0.1:${broker.port}`;

async function listen(into: Seen[]): Promise<MqttClient> {
  const client = await connectAsync(url());
  client.on('message', (topic, payload, { retain }) => {
    const text = payload.toString();
    into.push({ topic, text, retain, body: text.startsWith('{') ? (JSON.parse(text) as Seen['body']) : {} });
  });
  await client.subscribeAsync(['csiflow/#', 'homeassistant/#'], { qos: 1 });
  return client;
}

async function open(config: object = {}): Promise<Sink> {
  const { context } = testContext();
  const filled = withDefaults(mqtt, { url: url(), protocol: '3.1.1', ...config });
  const sink = mqtt.create(filled as never, context);
  sinks.push(sink);
  await sink.open();
  return sink;
}

/** Writes, and waits until the reader has received everything that was published. */
async function write(sink: Sink, records: readonly Data[]): ReturnType<Sink['write']> {
  const failed = await sink.write(records, 1);
  const { published } = sink.describe!()['test-room'] as { published: number };
  await eventually(() => {
    expect(seen.filter(({ topic }) => !/status\/(connection|engine)/.test(topic))).toHaveLength(published);
  });
  return failed;
}

const on = (topic: string) => seen.filter((message) => message.topic === topic);

describe('mqtt', () => {
  test('a frame gives a message for each person and a summary', async () => {
    const sink = await open();
    await write(sink, [poseFrame(0, { people: 2 })]);
    expect(on('csiflow/test-room/pose/person/1')).toHaveLength(1);
    const [second] = on('csiflow/test-room/pose/person/2');
    expect(second!.body).toMatchObject({
      environment_id: 'test-room',
      timestamp: '2023-11-14T22:13:20.000Z',
      frame_id: 0,
      person_id: 2,
      track_state: 'active',
      position_error: 0.25,
      velocity: { x: 0.1, y: -0.2 },
      provenance: { origin: 'simulated', model: { name: 'test-net', trained_on: 'simulated CSI' } },
    });
    expect(second!.body['keypoints']).toHaveLength(17);
    expect(on('csiflow/test-room/pose/summary')[0]!.body).toMatchObject({
      persons: 2,
      person_ids: [1, 2],
      best_confidence: 0.51,
      signal_quality: 0.975,
    });
  });

  test('people without a track have a topic without a number', async () => {
    const sink = await open();
    await write(sink, [poseFrame(0, { persons: [person(0, 0, { track: null })] })]);
    expect(on('csiflow/test-room/pose/person/untracked')[0]!.body['person_id']).toBeNull();
  });

  test('a summary is sent when the number of people changes, or once per interval', async () => {
    const sink = await open({ persons: false, summary_interval_ms: 1000 });
    const people = (frame: number) => (frame === 3 || frame === 4 ? 2 : 1);
    await write(
      sink,
      Array.from({ length: 25 }, (_, frame) => poseFrame(frame, { people: people(frame) })),
    );
    expect(seen.filter(({ topic }) => topic.includes('/person/'))).toEqual([]);
    expect(on('csiflow/test-room/pose/summary').map(({ body }) => body['frame_id'])).toEqual([0, 3, 5, 15]);
  });

  test('a summary is sent in its interval even after the clock is set back', async () => {
    const sink = await open({ persons: false, summary_interval_ms: 1000 });
    await write(sink, [poseFrame(1000), poseFrame(1), poseFrame(2), poseFrame(11)]);
    expect(on('csiflow/test-room/pose/summary').map(({ body }) => body['frame_id'])).toEqual([1000, 1, 11]);
  });

  test('an alert has a stable id and is never retained', async () => {
    const sink = await open();
    await write(sink, [sensedEvent(7)]);
    expect(on('csiflow/test-room/alerts/fall_detection')[0]!.body).toEqual({
      type: 'alert',
      alert_id: 'test-room/fall_detection/7',
      timestamp: '2023-11-14T22:13:20.700Z',
      alert_type: 'fall_detection',
      severity: 'high',
      environment_id: 'test-room',
      data: {
        person_id: 1,
        location: { x: 1.234_567_8, y: 2, z: 0.1 },
        confidence: 0.8125,
        video_clip_url: '/api/v1/alerts/2023-11-14T22:13:20.700Z/test-room%2Ffall_detection%2F7/clip',
      },
      metadata: { fall_duration: 1.5, recovery_detected: false, rule: 'net' },
      actions_required: ['medical_response', 'notification'],
      zones: [],
      provenance: { origin: 'live' },
    });
    expect(on('csiflow/test-room/alerts/fall_detection')[0]!.retain).toBe(false);
  });

  test('a claim of a sender is not an alert', async () => {
    const sink = await open();
    await write(sink, [
      sensedEvent(1, { source: 'node-1' }),
      measure(1, { name: 'breathing_rate_bpm', source: 'node-1', value: 14 }),
    ]);
    expect(seen.filter(({ topic }) => topic.includes('/alerts/'))).toEqual([]);
    expect(on('csiflow/test-room/analytics/claimed_events')[0]).toMatchObject({
      retain: false,
      body: { type: 'claim', source: 'node-1' },
    });
    expect(on('csiflow/test-room/analytics/vitals')).toEqual([]);
    expect(on('csiflow/test-room/analytics/claims')[0]!.body['subjects']).toEqual({
      'node-1/link-1': { breathing_rate_bpm: 14 },
    });
  });

  test('measures of one moment are one message, with the newest of all others', async () => {
    const sink = await open();
    await write(sink, [
      measure(1, { subject: 'link-1', value: 0.25 }),
      measure(1, { subject: 'link-2', value: 0.5 }),
      measure(1, { subject: null, value: 0.375 }),
      measure(1, { name: 'presence', subject: null, value: 1 }),
      measure(2, { subject: 'link-1', value: 0.75 }),
    ]);
    const motion = on('csiflow/test-room/analytics/motion').map(({ body }) => body);
    expect(motion).toEqual([
      expect.objectContaining({
        timestamp: '2023-11-14T22:13:20.100Z',
        room: { motion: 0.375 },
        subjects: { 'link-1': { motion: 0.25 }, 'link-2': { motion: 0.5 } },
      }),
      expect.objectContaining({
        timestamp: '2023-11-14T22:13:20.200Z',
        room: { motion: 0.375 },
        subjects: { 'link-1': { motion: 0.75 }, 'link-2': { motion: 0.5 } },
      }),
    ]);
    expect(on('csiflow/test-room/analytics/occupancy')[0]!.body['room']).toEqual({ presence: 1 });
  });

  test('a subject that is no longer measured is dropped after five minutes', async () => {
    const sink = await open();
    await write(sink, [measure(0, { subject: 'link-1' }), measure(3001, { subject: 'link-2' })]);
    const states = on('csiflow/test-room/analytics/motion').map(({ body }) => Object.keys(body['subjects']!));
    expect(states).toEqual([['link-1'], ['link-2']]);
  });

  test('late subscribers receive states: summary, measures, status', async () => {
    const sink = await open();
    await write(sink, [poseFrame(0), sensedEvent(0), measure(0)]);
    const late: Seen[] = [];
    const client = await listen(late);
    await eventually(() => {
      expect(late.length).toBeGreaterThanOrEqual(6);
    });
    await client.endAsync(true);
    expect(late.map(({ topic }) => topic.replace('csiflow/test-room/', '')).sort()).toEqual([
      'analytics/motion',
      'pose/summary',
      'status/connection',
      'status/engine',
      'status/occupancy',
      'status/room',
    ]);
    expect(late.every(({ retain }) => retain)).toBe(true);
  });

  test('rejects numbers that JSON cannot represent, and sends the rest', async () => {
    const sink = await open();
    const bad = measure(1, { value: NaN });
    const failed = await write(sink, [bad, measure(2, { value: 0.5 })]);
    expect(failed).toEqual([
      {
        record: bad,
        code: 'mqtt.value.invalid',
        reason: expect.stringContaining('NaN') as unknown,
        retriable: false,
      },
    ]);
    expect(on('csiflow/test-room/analytics/motion')).toHaveLength(1);
  });

  test('rejects records of an environment that the topology lacks', async () => {
    const sink = await open();
    const failed = await write(sink, [measure(1, { environment: 'elsewhere' })]);
    expect(failed.map(({ code, retriable }) => [code, retriable])).toEqual([['mqtt.environment', false]]);
  });

  test('it says goodbye when closed', async () => {
    const sink = await open();
    await sink.close();
    await eventually(() => {
      expect(on('csiflow/test-room/status/connection').map(({ text }) => text)).toEqual([
        'online',
        'offline',
      ]);
    });
  });

  test('with several processes, it connects for the environments it sees', async () => {
    const other = { ...testEnvironment, id: 'other-room' };
    const transaction = { send: async () => undefined };
    const { context } = testContext({ environments: [testEnvironment, other], transaction });
    const filled = withDefaults(mqtt, { url: url(), protocol: '3.1.1' });
    const sink = mqtt.create(filled as never, context);
    sinks.push(sink);
    await sink.open();
    await write(sink, [measure(0)]);
    expect(sink.describe!()).toMatchObject({
      'test-room': { connected: true },
      'other-room': { connected: false },
    });
    expect(on('csiflow/other-room/status/connection')).toEqual([]);
  });

  test('open fails with a fix if the broker is unreachable, and can be retried', async () => {
    const { context } = testContext();
    const filled = withDefaults(mqtt, { url: 'mqtt://127.0.0.1:9' });
    const sink = mqtt.create(filled as never, context);
    await expect(sink.open()).rejects.toMatchObject({
      message: expect.stringMatching(
        /mqtt:\/\/127\.0\.0\.1:9 cannot be used: nothing listens there/,
      ) as unknown,
      retriable: true,
    });
    await sink.close();
  });
});
