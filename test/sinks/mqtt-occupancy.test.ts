import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import type { Data, Person, Track } from '../../pipeline/model/index.js';
import { Messages } from '../../sinks/mqtt/messages.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { Occupancy, type OccupancyBody } from '../../sinks/mqtt/occupancy.js';
import { Topics } from '../../sinks/mqtt/topics.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { startBroker } from '../support/mqtt-broker.js';
import { measure, person, poseFrame, sensedEvent } from '../support/records.js';
import { afterThisTest } from '../support/clean-up.js';
import { eventually } from '../support/waiting.js';

const HOUR = 3_600_000_000;
const PER_SECOND = 10;

const presence = (seconds: number, value: number) =>
  measure(seconds * PER_SECOND, { name: 'presence', subject: null, value });

const fall = (seconds: number, about: number | null = 1) =>
  sensedEvent(seconds * PER_SECOND, { type: 'fall_detection', person: about });

function frame(seconds: number, persons: readonly Person[]): Data {
  return { ...poseFrame(seconds * PER_SECOND), persons };
}

function tracked(id: number, state: Track['state'], posture: Person['posture'] = 'lying'): Person {
  const base = person(0);
  const track = { id, state, age: 10, since: 0, velocity: { x: 0, y: 0 } };
  return { ...base, posture, articulated: posture === 'upright', track };
}

const secondsNow = { now: 0 };
/** A clock that a test sets, seconds; initially it is behind all records. */
const clock = { now: () => poseFrame(secondsNow.now * PER_SECOND).time };
const occupancyOf = (fallHold: number, isCounted = false) => new Occupancy({ fallHold, isCounted }, clock);

/** The state after the last record, if no node counts persons. */
function after(records: readonly Data[], occupancy = occupancyOf(12 * HOUR)): OccupancyBody | undefined {
  let last: OccupancyBody | undefined;
  for (const record of records) last = occupancy.after(record, undefined) ?? last;
  return last;
}

const topics = new Topics('csiflow', 'test-room');
const told = (name: string, seconds: number, value: number) =>
  measure(seconds * PER_SECOND, { name, subject: null, value });
const count = (seconds: number, value: number) => told('occupancy', seconds, value);
const known = (seconds: number, value: number) => told('occupancy_known', seconds, value);

/** What the sink publishes of the room, fed by `watch-zones` unless `isCounted` is false. @param earlier state of an earlier run */
function states(records: readonly Data[], isCounted = true, earlier?: object): OccupancyBody[] {
  const environment = testEnvironment;
  const settings = { environment, persons: false, summaryInterval: 0, fallHold: 12 * HOUR, isCounted };
  const messages = new Messages(topics, { ...settings, clock: { ...testContext().context.clock, ...clock } });
  if (earlier) messages.goOnFrom(JSON.stringify(earlier));
  return messages
    .of(records)
    .messages.filter(({ topic }) => topic === topics.status('occupancy'))
    .map(({ payload }) => JSON.parse(payload) as OccupancyBody);
}
const last = (...records: readonly Data[]) => states(records).at(-1);

test('without a node that counts, motion, a visible person and a hidden one each make a room occupied', () => {
  expect(after([presence(0, 1)])).toMatchObject({
    occupied: true,
    reasons: ['motion'],
    basis: 'motion_and_tracks',
  });
  expect(after([presence(0, 0)])).toMatchObject({ occupied: false, reasons: [] });
  expect(after([presence(0, 0), frame(1, [tracked(1, 'active')])])?.reasons).toEqual(['tracked']);
  expect(after([presence(0, 0), frame(1, [tracked(1, 'lost')])])?.reasons).toEqual(['tracked']);
  expect(after([presence(0, 0), frame(1, [tracked(1, 'tentative')])])?.reasons).toEqual([]);
});

describe('where a node counts persons', () => {
  const counted = { occupied: true, reasons: ['counted'], basis: 'occupancy' };
  const empty = { occupied: false, reasons: [], basis: 'occupancy' };
  const unknown = { occupied: null, reasons: [], basis: 'occupancy' };

  test('their number decides, whatever motion and tracks say', () => {
    expect(last(presence(0, 0), count(1, 2))).toMatchObject(counted);
    const left = [count(0, 1), count(4, 0)];
    expect(last(...left, presence(5, 1), frame(6, [tracked(1, 'lost')]))).toMatchObject(empty);
  });

  test('the room is unknown from when nothing says who is there until something does', () => {
    expect(last(presence(0, 1))).toMatchObject(unknown);
    const lost = [count(0, 0), known(10, 0)];
    expect(last(...lost, presence(11, 1), frame(12, [tracked(1, 'active')]))).toMatchObject(unknown);
    expect(last(...lost, known(20, 1), count(20, 1))).toMatchObject(counted);
  });

  test('each change is published once, with the record that brings it', () => {
    const records = [presence(0, 1), count(1, 1), presence(2, 0), count(3, 2), known(4, 0), known(5, 1)];
    const seen = states([...records, count(5, 0)]).map(({ occupied }) => occupied);
    expect(seen).toEqual([null, true, null, false]);
  });

  test('a person who fell still keeps the room occupied', () => {
    expect(last(count(0, 1), fall(1), count(5, 0))).toMatchObject({ occupied: true, reasons: ['fallen'] });
    expect(last(count(0, 1), fall(1), known(5, 0))).toMatchObject({ occupied: true, reasons: ['fallen'] });
  });

  test('numbers of zones and of senders do not count', () => {
    const inZone = measure(10, { name: 'occupancy', subject: 'bed', value: 1 });
    const claimed = measure(10, { name: 'occupancy', subject: null, value: 1, source: 'node-1' });
    expect(last(count(0, 0), inZone, claimed, presence(3, 1))).toMatchObject(empty);
  });

  test('an operator of your own decides from its first number on', () => {
    const seen = states([presence(0, 1), count(1, 0), presence(2, 1)], false);
    expect(seen.map(({ occupied, basis }) => [occupied, basis])).toEqual([
      [true, 'motion_and_tracks'],
      [false, 'occupancy'],
    ]);
  });

  test('after a short interruption, the state of the earlier run holds until the next number', () => {
    const resumed = (earlier: object, ...records: readonly Data[]) => states(records, true, earlier).at(-1);
    const { timestamp } = states([presence(0, 1)])[0]!;
    expect(resumed({ ...counted, timestamp }, presence(20, 0))).toMatchObject(counted);
    expect(resumed({ ...empty, timestamp }, presence(20, 1))).toMatchObject(empty);
    expect(resumed({ ...counted, timestamp }, presence(20, 0), count(21, 0))).toMatchObject(empty);
    expect(resumed({ ...counted, timestamp }, presence(61, 1))).toMatchObject(unknown);
    for (const earlier of [unknown, { occupied: true, reasons: ['motion'] }, { ...counted, reasons: 1 }])
      expect(resumed({ ...earlier, timestamp }, presence(20, 1))).toMatchObject(unknown);
  });
});

test('a person on the floor keeps it occupied, though nothing moves and nobody is tracked', () => {
  const still = Array.from({ length: 600 }, (_, index) => [presence(20 + index, 0), frame(20 + index, [])]);
  const state = after([frame(9, [tracked(1, 'active', 'upright')]), fall(10), ...still.flat()]);
  expect(state).toMatchObject({ occupied: true, reasons: ['fallen'], fall: { person_id: 1 } });
});

test('an unchanged state is published every half minute, even after the clock is set back', () => {
  const occupancy = occupancyOf(12 * HOUR);
  const published = [4000, 4010, 4030, 400, 410].map(
    (at) => occupancy.after(presence(at, 1), undefined) !== undefined,
  );
  expect(published).toEqual([true, false, true, true, false]);
});

test('a fall ends when the fallen person stands for three seconds; others do not count', () => {
  const stands = (id: number, from: number) =>
    Array.from({ length: 5 }, (_, index) => frame(from + index, [tracked(id, 'active', 'upright')]));
  const gone = [frame(40, []), presence(41, 0)];
  expect(after([fall(10), ...stands(2, 20), ...gone])?.occupied).toBe(true);
  expect(after([fall(10), ...stands(1, 20), ...gone])?.occupied).toBe(false);
  expect(after([fall(10, null), ...stands(2, 20), ...gone])?.occupied).toBe(false);
  expect(after([fall(10), ...stands(1, 20).slice(0, 2), frame(23, []), ...gone])?.occupied).toBe(true);
});

test('after the clock is set back, the fallen can still get up, and the fall does not last longer', () => {
  const stands = Array.from({ length: 5 }, (_, at) => frame(20 + at, [tracked(1, 'active', 'upright')]));
  const occupancy = occupancyOf(60e6);
  expect(after([fall(4000), presence(10, 0)], occupancy)?.reasons).toEqual(['fallen']);
  expect(after([...stands, frame(26, [])], occupancy)?.occupied).toBe(false);
  const lies = occupancyOf(60e6);
  expect(after([fall(4000), presence(10, 0), presence(69, 0)], lies)?.reasons).toEqual(['fallen']);
  expect(after([presence(71, 0)], lies)?.occupied).toBe(false);
});

test('late records with a correct clock say nothing about a fall', () => {
  secondsNow.now = 4000;
  afterThisTest(() => {
    secondsNow.now = 0;
  });
  const stood = Array.from({ length: 5 }, (_, at) => frame(20 + at, [tracked(1, 'active', 'upright')]));
  expect(after([fall(4000), ...stood, presence(4001, 0)])?.reasons).toEqual(['fallen']);
});

test('a fall ends after its maximum time', () => {
  const short = occupancyOf(60e6);
  expect(after([fall(0), presence(59, 0)], short)?.occupied).toBe(true);
  expect(after([presence(61, 0)], short)?.occupied).toBe(false);
});

test('the state is published on changes and every thirty seconds', () => {
  const occupancy = occupancyOf(HOUR);
  const reported = Array.from({ length: 65 }, (_, second) => occupancy.after(presence(second, 1), undefined));
  expect(reported.flatMap((body, second) => (body ? [second] : []))).toEqual([0, 30, 60]);
  occupancy.lost();
  expect(occupancy.after(presence(65, 1), undefined)).toBeDefined();
});

test('a fall survives a restart: the sink resumes from the retained state', async () => {
  const broker = await startBroker();
  const url = `mqtt://127.0.0.1:${broker.port}`;
  const config = withDefaults(mqtt, { url, protocol: '3.1.1' });
  const open = async () => {
    const sink = mqtt.create(config as never, testContext().context);
    await sink.open();
    return sink;
  };
  const retained: OccupancyBody[] = [];
  const reader = await connectAsync(url);
  reader.on('message', (_topic, payload) => retained.push(JSON.parse(payload.toString()) as OccupancyBody));
  await reader.subscribeAsync('csiflow/test-room/status/occupancy', { qos: 1 });
  const first = await open();
  await first.write([presence(0, 1), fall(1)], 1);
  await first.close();
  const second = await open();
  // The broker answers a subscription with its retained message; wait until it has arrived.
  await eventually(async () => {
    await second.write([presence(100 + retained.length, 1), presence(100.5 + retained.length, 0)], 2);
    expect(retained.at(-1)).toMatchObject({ occupied: true, reasons: ['fallen'] });
  });
  await second.close();
  await reader.endAsync(true);
  await broker.close();
});
