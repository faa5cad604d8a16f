import { describe, expect, test } from 'vitest';
import type { Data } from '../../pipeline/model/index.js';
import { Regions, type RegionBody } from '../../sinks/mqtt/regions.js';
import { testEnvironment } from '../support/context.js';
import { measure, person, poseFrame, sensedEvent, START } from '../support/records.js';

const SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2]]; // prettier-ignore
const zones = [
  { id: 'bed', name: 'The bed', polygon: SQUARE },
  { id: 'hall', polygon: SQUARE },
];

const at = (seconds: number) => ({ time: START + seconds * 1e6 });
const iso = (seconds: number) => new Date((START + seconds * 1e6) / 1000).toISOString();
const value = (name: string, seconds: number, amount: number, subject: string | null = 'bed') =>
  measure(0, { name, subject, value: amount, ...at(seconds) });
const minute = (seconds: number, mean: number, peak: number): Data[] => [
  value('occupancy_mean', seconds, mean),
  value('occupancy_peak', seconds, peak),
];
const event = (type: 'zone_entered' | 'zone_left', seconds: number, who = 1, zone = 'bed') =>
  sensedEvent(0, { type, person: who, metadata: { zone }, ...at(seconds) });
const active = (activity: string, seconds: number, who = 1) =>
  sensedEvent(0, { type: 'activity_changed', person: who, metadata: { activity }, ...at(seconds) });
const frame = (seconds: number, state: 'active' | 'lost' | 'ended') =>
  poseFrame(0, { ...at(seconds), persons: [{ ...person(0), track: { ...person(0).track!, state } }] });

const all = (records: readonly Data[], regions = new Regions({ ...testEnvironment, zones })): RegionBody[] =>
  records.flatMap((record) => regions.after(record));
/** The last state of a region. */
const last = (zone: string | null, ...records: readonly Data[]) =>
  all(records).findLast((body) => body.zone === zone);

describe('the number of people in a zone', () => {
  test('follows each change, and a person was last seen when the zone became empty', () => {
    const [came, left] = [value('occupancy', 0, 1), value('occupancy', 50, 0)];
    expect(last('bed', came)).toMatchObject({
      count: 1,
      occupied: true,
      last_seen: iso(0),
      zone_name: 'The bed',
    });
    expect(last('bed', came, left)).toMatchObject({ count: 0, occupied: false, last_seen: iso(50) });
  });

  test('is unknown from when nothing says who is there', () => {
    const [came, unknown] = [value('occupancy', 0, 1), value('occupancy_known', 50, 0, null)];
    const gone = { count: null, occupied: null, last_seen: iso(50) };
    expect(last('bed', came, unknown)).toMatchObject(gone);
    expect(last('bed', came, unknown, ...minute(0, 1, 1))).toMatchObject(gone);
    // The minutes after it, of the few moments that say something, do not say what holds now.
    expect(last('bed', came, unknown, ...minute(60, 0, 0))).toMatchObject(gone);
    expect(last('bed', came, unknown, value('occupancy', 60, 0))).toMatchObject({ count: 0 });
    const known = [value('occupancy_known', 110, 1, null), value('occupancy', 110, 0)];
    expect(last('bed', came, unknown, ...known, ...minute(120, 2, 2))).toMatchObject({ count: 2 });
  });

  test('after a start is that of the first minute without a change', () => {
    expect(last('bed', ...minute(0, 0.5, 1))).toBeUndefined();
    expect(last('bed', ...minute(0, 0.5, 1), ...minute(60, 0, 0))).toMatchObject({
      count: 0,
      last_seen: null,
    });
    expect(last('bed', ...minute(0, 2, 2))).toMatchObject({ count: 2, last_seen: iso(60) });
  });

  test('is not taken back by a minute before the last change', () => {
    expect(last('bed', value('occupancy', 65, 1), ...minute(0, 0, 0))).toMatchObject({ count: 1 });
  });

  test('is that of each zone and of the room apart', () => {
    const records = [value('occupancy', 0, 1, 'hall'), value('occupancy', 1, 3, null)];
    expect(last('hall', ...records)).toMatchObject({ count: 1 });
    expect(last(null, ...records)).toMatchObject({ count: 3, zone: null });
    expect(last('bed', ...records)).toBeUndefined();
  });
});

describe('the time when a person was last seen', () => {
  test('continues while a person stays', () => {
    const stays = [value('occupancy', 0, 1), ...minute(0, 1, 1), ...minute(60, 0.98, 1), frame(130, 'lost')];
    expect(last('bed', ...stays)).toMatchObject({ last_seen: iso(120) });
  });

  test('in the room is that of the last frame with a person in sight', () => {
    const records = [frame(0, 'active'), frame(10, 'lost'), frame(50, 'lost')];
    expect(last(null, ...records)).toMatchObject({ last_seen: iso(0), count: null, occupied: null });
  });

  test('does not run backwards because a count comes after a newer frame', () => {
    const records = [frame(5, 'active'), value('occupancy', 4, 1, null)];
    expect(last(null, ...records)).toMatchObject({ count: 1, last_seen: iso(5) });
  });

  test('follows a clock that is set back', () => {
    const records = [frame(3600, 'active'), value('occupancy', 4, 1, null)];
    expect(last(null, ...records)).toMatchObject({ count: 1, last_seen: iso(4) });
  });
});

describe('the activity', () => {
  test('of a zone is that of its people, until they leave', () => {
    const walks = [value('occupancy', 0, 1), event('zone_entered', 0), active('lying', 1)];
    expect(last('bed', ...walks)).toMatchObject({ activity: 'lying' });
    expect(last('bed', ...walks, value('occupancy', 9, 0))).toMatchObject({ activity: null });
    expect(last('bed', ...walks, event('zone_left', 9))).toMatchObject({ activity: null });
  });

  test('known before a person enters comes with them', () => {
    expect(last('hall', active('walking', 0), event('zone_entered', 1, 1, 'hall'))).toMatchObject({
      activity: 'walking',
    });
  });

  test('of the room is the one that changed last, of those who are still there', () => {
    const two = [active('sitting', 0, 1), active('walking', 1, 2)];
    expect(last(null, ...two)).toMatchObject({ activity: 'walking' });
    expect(last(null, ...two, active('standing', 2, 1))).toMatchObject({ activity: 'standing' });
    expect(last(null, ...two, active('standing', 2, 1), frame(3, 'ended'))).toMatchObject({
      activity: 'walking',
    });
  });
});

describe('a state', () => {
  test('is due at each change, and otherwise every thirty seconds', () => {
    const records = [0, 10, 29, 31, 45, 62].map((seconds) => frame(seconds, 'active'));
    expect(all(records).map(({ timestamp }) => timestamp)).toEqual([0, 31, 62].map(iso));
  });

  test('that was lost is due at once', () => {
    const regions = new Regions({ ...testEnvironment, zones });
    expect(all([value('occupancy', 0, 1)], regions)).toHaveLength(1);
    expect(all([frame(1, 'lost')], regions)).toEqual([]);
    regions.lost((zone) => zone === 'bed');
    expect(all([frame(1, 'lost')], regions)).toMatchObject([{ zone: 'bed', count: 1 }]);
  });

  test('ignores what senders claim', () => {
    expect(all([{ ...value('occupancy', 0, 1), source: 'sensor-4' }])).toEqual([]);
  });
});
