import { describe, expect, it } from 'vitest';
import { People } from '../../operators/detect-falls/verdict/people.js';
import { FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';

/** Frames a second apart, with a person in sight where `there` says so. */
function watched(there: (second: number) => boolean, frame: object = {}): People {
  const people = new People([]);
  for (let second = 0; second < 12; second++)
    people.see({
      ...poseFrame(second, there(second) ? [person(1, 2, 2)] : []),
      time: FIRST_TIME + second * 1e6,
      links: 4,
      ...frame,
    });
  return people;
}

describe('people around a motion', () => {
  const end = FIRST_TIME + 3e6;

  it('are absent if nobody is in sight in the seconds after it', () => {
    expect(watched(() => false).isEmptyAfter(end)).toBe(true);
    expect(watched((second) => second <= 3).isEmptyAfter(end)).toBe(true);
  });

  it('are present if one frame of these seconds shows a person', () => {
    expect(watched((second) => second === 8).isEmptyAfter(end)).toBe(false);
  });

  it('may be present if no frame came, or frames of too few links', () => {
    expect(new People([]).isEmptyAfter(end)).toBe(false);
    expect(watched(() => false, { links: 2 }).isEmptyAfter(end)).toBe(false);
  });

  it('are absent if their track is lost', () => {
    const lost = person(1, 2, 2);
    const persons = [{ ...lost, track: { ...lost.track!, state: 'lost' as const } }];
    expect(watched(() => true, { persons }).isEmptyAfter(end)).toBe(true);
  });

  it('are read from a snapshot, and from one of an earlier version', () => {
    const people = new People([]);
    people.restore(structuredClone(watched(() => false).snapshot()));
    expect(people.isEmptyAfter(end)).toBe(true);
    people.restore(watched(() => true).snapshot().seen);
    expect(people.isEmptyAfter(end)).toBe(false);
  });
});
