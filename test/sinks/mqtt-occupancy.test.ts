import { connectAsync } from 'mqtt';
import { expect, test } from 'vitest';
import type { Data, Person, Track } from '../../pipeline/model/index.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { Occupancy, type OccupancyBody } from '../../sinks/mqtt/occupancy.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
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
const occupancyOf = (fallHold: number) => new Occupancy(fallHold, clock);

/** The state after the last record. */
function after(records: readonly Data[], occupancy = occupancyOf(12 * HOUR)): OccupancyBody | undefined {
  let last: OccupancyBody | undefined;
  for (const record of records) last = occupancy.after(record) ?? last;
  return last;
}

test('motion, a visible person and a hidden one each make a room occupied', () => {
  expect(after([presence(0, 1)])).toMatchObject({ occupied: true, reasons: ['motion'] });
  expect(after([presence(0, 0)])).toMatchObject({ occupied: false, reasons: [] });
  expect(after([presence(0, 0), frame(1, [tracked(1, 'active')])])?.reasons).toEqual(['tracked']);
  expect(after([presence(0, 0), frame(1, [tracked(1, 'lost')])])?.reasons).toEqual(['tracked']);
  expect(after([presence(0, 0), frame(1, [tracked(1, 'tentative')])])?.reasons).toEqual([]);
});

test('a person on the floor keeps it occupied, though nothing moves and nobody is tracked', () => {
  const still = Array.from({ length: 600 }, (_, index) => [presence(20 + index, 0), frame(20 + index, [])]);
  const state = after([frame(9, [tracked(1, 'active', 'upright')]), fall(10), ...still.flat()]);
  expect(state).toMatchObject({ occupied: true, reasons: ['fallen'], fall: { person_id: 1 } });
});

test('an unchanged state is published every half minute, even after the clock is set back', () => {
  const occupancy = occupancyOf(12 * HOUR);
  const published = [4000, 4010, 4030, 400, 410].map((at) => occupancy.after(presence(at, 1)) !== undefined);
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
  const reported = Array.from({ length: 65 }, (_, second) => occupancy.after(presence(second, 1)));
  expect(reported.flatMap((body, second) => (body ? [second] : []))).toEqual([0, 30, 60]);
  occupancy.lost();
  expect(occupancy.after(presence(65, 1))).toBeDefined();
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
  const states: OccupancyBody[] = [];
  const reader = await connectAsync(url);
  reader.on('message', (_topic, payload) => states.push(JSON.parse(payload.toString()) as OccupancyBody));
  await reader.subscribeAsync('csiflow/test-room/status/occupancy', { qos: 1 });
  const first = await open();
  await first.write([presence(0, 1), fall(1)], 1);
  await first.close();
  const second = await open();
  // The broker answers a subscription with its retained message; wait until it has arrived.
  await eventually(async () => {
    await second.write([presence(100 + states.length, 1), presence(100.5 + states.length, 0)], 2);
    expect(states.at(-1)).toMatchObject({ occupied: true, reasons: ['fallen'] });
  });
  await second.close();
  await reader.endAsync(true);
  await broker.close();
});
