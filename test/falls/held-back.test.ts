import { describe, expect, it } from 'vitest';
import { HeldBack } from '../../operators/detect-falls/verdict/held-back.js';
import { eventsOf, makeDetector, bursts, START, windows } from './hand-made.js';
import { fallEvent, FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';

/** A frame a tenth of a second after the previous one; person 1 fell. */
const seen = (index: number, x: number, posture: 'upright' | 'lying' = 'upright', id = 1) =>
  poseFrame(index, [person(id, x, 2, { posture })]);

function held(): HeldBack {
  const back = new HeldBack();
  back.add(fallEvent({ person: 1 }), FIRST_TIME + 10e6);
  return back;
}

describe('a delayed fall', () => {
  it('is reported when it is due, once', () => {
    const back = held();
    expect(back.release(FIRST_TIME + 9.9e6)).toEqual([]);
    expect(back.release(FIRST_TIME + 10e6)).toEqual([fallEvent({ person: 1 })]);
    expect(back.release(Infinity)).toEqual([]);
  });

  it('is dropped if the person walks upright for two seconds and a metre', () => {
    const back = held();
    const left = Array.from({ length: 30 }, (_, i) => back.see(seen(i + 1, 1 + i * 0.06)));
    expect(left.findIndex(({ length }) => length === 1)).toBe(20);
    expect(left[20]).toEqual([fallEvent({ person: 1 })]);
    expect(back.release(Infinity)).toEqual([]);
  });

  it.each([
    ['stays in place', (i: number) => seen(i + 1, 1)],
    ['lies in between', (i: number) => seen(i + 1, 1 + i * 0.06, i % 15 === 14 ? 'lying' : 'upright')],
    ['is another person', (i: number) => seen(i + 1, 1 + i * 0.06, 'upright', 2)],
  ])('is reported if the visible person %s', (_, at) => {
    const back = held();
    for (let i = 0; i < 60; i++) back.see(at(i));
    expect(back.release(Infinity)).toHaveLength(1);
  });

  it('continues from a snapshot', () => {
    const [one, other] = [held(), new HeldBack()];
    for (let i = 0; i < 15; i++) one.see(seen(i + 1, 1 + i * 0.06));
    other.restore(JSON.parse(JSON.stringify(one.snapshot())) as ReturnType<HeldBack['snapshot']>);
    for (const back of [one, other]) for (let i = 15; i < 25; i++) back.see(seen(i + 1, 1 + i * 0.06));
    expect([one.release(Infinity), other.release(Infinity)]).toEqual([[], []]);
  });
});

it('the detector delays falls by event time, and then reports the same ones', () => {
  const fields = { threshold: -5, warm_up_ms: 0, cooldown_ms: 10_000 };
  const reported = eventsOf(makeDetector(fields), windows(40, bursts(20)));
  expect(reported.length).toBeGreaterThan(0);
  const detector = makeDetector({ ...fields, notify_delay_ms: 60_000 });
  expect(eventsOf(detector, windows(40, bursts(20)))).toEqual([]);
  expect(detector.watermark!(START + 60e6).data).toEqual([]);
  expect(detector.watermark!(START + 110e6).data).toEqual(reported);
});
