import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { Anonymiser, GRID_METRES } from '../../pipeline/runtime/privacy/anonymise.js';
import { anyEvent, measure, person, poseFrame, sensedEvent } from '../support/records.js';

const key = Buffer.alloc(32, 7);
const anonymiser = new Anonymiser(key);
const number = fc.nat({ max: 2 ** 32 - 1 });

test('persons of an environment have distinct numbers, positive and of ten digits', () => {
  fc.assert(
    fc.property(fc.uniqueArray(number, { maxLength: 200 }), fc.string(), (numbers, environment) => {
      const pseudonyms = numbers.map((one) => anonymiser.pseudonym(environment, one));
      expect(new Set(pseudonyms).size).toBe(numbers.length);
      for (const [index, one] of pseudonyms.entries())
        expect(one > 0 && one < 2 ** 32).toBe(numbers[index] !== 0);
    }),
    { numRuns: 30 },
  );
});

test('the same key gives the same number, another key or environment another one', () => {
  const again = new Anonymiser(Buffer.alloc(32, 7));
  const other = new Anonymiser(Buffer.alloc(32, 8));
  const several = Array.from({ length: 50 }, (_, index) => index + 1);
  const of = (one: Anonymiser, room: string) => several.map((each) => one.pseudonym(room, each));
  expect(of(again, 'flat')).toEqual(of(anonymiser, 'flat'));
  expect(of(other, 'flat').filter((each, index) => each === of(anonymiser, 'flat')[index])).toEqual([]);
  expect(of(anonymiser, 'ward').filter((each, index) => each === of(anonymiser, 'flat')[index])).toEqual([]);
  expect(of(anonymiser, 'flat')).not.toEqual(several);
});

test('a stored person has no skeleton, and lies on the grid', () => {
  const frame = poseFrame(3, { persons: [person(3, 0), person(3, 1, { track: null })] });
  const [known, unknown] = (anonymiser.apply(frame) as PoseFrame).persons;
  expect(known).toMatchObject({
    keypoints: [],
    articulated: false,
    heading: null,
    track: { id: anonymiser.pseudonym('test-room', 1), velocity: { x: 0, y: 0 } },
  });
  expect(unknown!.track).toBeNull();
  for (const { position, positionError } of [known!, unknown!]) {
    expect(position.x % GRID_METRES).toBe(0);
    expect(position.y % GRID_METRES).toBe(0);
    expect(positionError).toBeGreaterThanOrEqual(0.354);
  }
});

test('an event keeps its fact, and loses the person and the exact place', () => {
  const event = sensedEvent(1, {
    id: 'test-room-inactivity-12345678-99',
    person: 12_345_678,
    metadata: { minutes: 3, person: 12_345_678, track_id: 12_345_678, at: '1.234, 2', seen_x: 1.234 },
  });
  const stored = anonymiser.apply(event) as SensedEvent;
  expect(JSON.stringify(stored)).not.toContain('12345678');
  expect(stored).toMatchObject({ type: event.type, time: event.time, metadata: { minutes: 3 } });
  expect(stored.location).toEqual({ x: 1, y: 2, z: 0 });
  expect(stored.metadata).toEqual({ minutes: 3 });
  expect(anonymiser.apply(sensedEvent(2, { id: 'other' }))).not.toMatchObject({ id: stored.id });
});

test('any event stays an event, the same each time', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const stored = anonymiser.apply(event) as SensedEvent;
      expect(stored).toEqual(new Anonymiser(key).apply(event));
      expect({ ...stored, id: '', person: null, location: null, metadata: {} }).toEqual({
        ...event,
        id: '',
        person: null,
        location: null,
        metadata: {},
      });
    }),
    { numRuns: 50 },
  );
});

test('measures of persons change their subject, those of links and rooms do not', () => {
  const pseudonym = String(anonymiser.pseudonym('test-room', 4));
  expect(anonymiser.apply(measure(0, { subject: '4' }))).toEqual(measure(0, { subject: pseudonym }));
  for (const subject of ['link-1', null])
    expect(anonymiser.apply(measure(0, { subject }))).toEqual(measure(0, { subject }));
});
