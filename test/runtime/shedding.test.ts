import { expect, test } from 'vitest';
import type { Window } from '../../pipeline/model/index.js';
import type { Host, NodeRun } from '../../pipeline/runtime/nodes/host.js';
import { LoadShedder } from '../../pipeline/runtime/stages/shedding/load-shedder.js';
import { Repetitions } from '../../pipeline/runtime/stages/shedding/repetitions.js';
import { StandingQueue } from '../../pipeline/runtime/stages/shedding/standing-queue.js';
import type { Work } from '../../pipeline/runtime/stages/shedding/work.js';
import { NodeMeter } from '../../pipeline/telemetry/node-meter.js';

const MAX_LAG_MS = 2000;

const windowOf = (time: number): Window => ({
  port: 'window',
  environment: 'room',
  index: 0,
  start: time,
  step: 0,
  points: 1,
  links: [],
  provenance: { origin: 'simulated' },
});

/** A shedder with its own clock, milliseconds. */
function shedderAt(clock: { ms: number }, isOverloaded = true) {
  const time = { now: () => clock.ms * 1000, elapsed: () => clock.ms };
  const meter = new NodeMeter('site', 'network', () => undefined);
  const log = { warn: () => undefined, info: () => undefined };
  const run = { meter, context: { clock: time, log }, problems: { set: () => undefined } };
  const shedding = { maxLagMs: MAX_LAG_MS, log: null, isOverloaded: () => isOverloaded };
  const shedder = new LoadShedder(run as unknown as NodeRun, { clock: time } as Host, shedding, 64);
  let number = 0;
  /** Adds a window that ended this long ago. */
  const put = (ageMs: number, links: Window['links'] = []): Work => {
    const data = { ...windowOf((clock.ms - ageMs) * 1000), links };
    const work: Work = {
      kind: 'work',
      number: ++number,
      signal: { kind: 'data', data, from: 'windows', received: clock.ms },
      arrived: clock.ms,
      lateMs: 0,
      began: clock.ms,
      tookMs: 0,
      isRequired: false,
      result: undefined,
    };
    shedder.put(work);
    return work;
  };
  return { shedder, put, meter };
}

/** A window that is computed and sent on in this time. */
function done(shedder: LoadShedder, clock: { ms: number }, put: (ageMs: number) => Work, ms: number): void {
  put(0);
  const work = shedder.take()!;
  work.began = clock.ms;
  clock.ms += ms;
  work.tookMs = Math.min(ms, 100);
  shedder.isWanted(work);
}

test('skips a delayed window whose result would be too late', () => {
  const clock = { ms: 1_000_000 };
  const { shedder, put, meter } = shedderAt(clock);
  done(shedder, clock, put, 600);
  put(800);
  expect(shedder.take()).toBeDefined();
  put(1000);
  expect(shedder.take()).toBeUndefined();
  expect(meter.droppedBy.get('stale')).toBe(1);
  shedder.end();
});

test('drops a result that became too old while others delayed it', () => {
  const clock = { ms: 1_000_000 };
  const { shedder, put, meter } = shedderAt(clock);
  done(shedder, clock, put, 10);
  put(1000);
  const [late, slow] = [shedder.take()!, { ...put(0), tookMs: 600 }];
  clock.ms += 450;
  expect(shedder.isWanted({ ...late })).toBe(true);
  clock.ms += 100;
  expect(shedder.isWanted(late)).toBe(false);
  expect(late.signal).toBeNull();
  expect(meter.droppedBy.get('stale')).toBe(1);
  clock.ms += 10_000;
  // Otherwise a slow operator would emit nothing at all.
  expect(shedder.isWanted(slow)).toBe(true);
  shedder.end();
});

test('drops a result that came too late because others were before it', () => {
  const clock = { ms: 1_000_000 };
  const { shedder, put, meter } = shedderAt(clock);
  put(0);
  shedder.take();
  shedder.done(100, 1);
  const work = put(0);
  clock.ms += 1600;
  expect(shedder.isWanted({ ...work, tookMs: 700 })).toBe(false);
  expect(meter.droppedBy.get('stale')).toBe(1);
  // Nothing was quick for longer than results may be late: the operator itself is slow.
  clock.ms += 500;
  expect(shedder.isWanted({ ...work, tookMs: 700 })).toBe(true);
  shedder.end();
});

/** A window of two seconds that ends at `end`, with its last frame at `until`, seconds. */
function roomWindow(end: number, until: number, environment = 'room'): Window {
  const gaps = Uint8Array.from({ length: 100 }, (_, point) => ((end - 2) * 50 + point < until * 50 ? 0 : 1));
  const links = [{ gaps }, { gaps: new Uint8Array(100).fill(1) }] as unknown as Window['links'];
  return { ...windowOf((end - 2) * 1e6), environment, step: 20_000, points: 100, links };
}

test('under overload, sheds windows of a silent room until it sends again', () => {
  const repetitions = new Repetitions(500);
  const shed = (end: number, until: number, overloaded: boolean) =>
    repetitions.isShed(roomWindow(end, until), () => overloaded);
  expect([10, 10.2, 10.4].map((end) => shed(end, 10, true))).toEqual([false, false, false]);
  expect(shed(10.6, 10, false)).toBe(false);
  expect(shed(10.8, 10, true)).toBe(true);
  // Also after the overload, and with the last frame out of the window.
  expect([11, 12, 12.2].map((end) => shed(end, 10, false))).toEqual([true, true, true]);
  expect(shed(12.4, 12.3, false)).toBe(false);
  expect(shed(13, 12.3, false)).toBe(false);
});

test('computes a window with a new frame, even if the room is silent now', () => {
  const repetitions = new Repetitions(500);
  const always = () => true;
  expect(repetitions.isShed(roomWindow(10, 9.2), always)).toBe(false);
  expect(repetitions.isShed(roomWindow(10.2, 9.4), always)).toBe(false);
  expect(repetitions.isShed(roomWindow(10.2, 9.4, 'another room'), always)).toBe(false);
  expect(repetitions.isShed(roomWindow(10.4, 9.4), always)).toBe(true);
});

test('rates windows afresh after the clock was set back', () => {
  const repetitions = new Repetitions(500);
  repetitions.isShed(roomWindow(4000, 4000), () => true);
  expect([10, 10.2].map((end) => repetitions.isShed(roomWindow(end, end), () => true))).toEqual([
    false,
    false,
  ]);
});

test('a shed repetition is counted as one, and does not indicate overload', () => {
  const clock = { ms: 1_000_000 };
  const { shedder, put, meter } = shedderAt(clock);
  put(0);
  shedder.take();
  const gaps = new Uint8Array(1).fill(1);
  put(0, [{ gaps }] as unknown as Window['links']);
  expect(shedder.take()).toBeUndefined();
  expect([...meter.droppedBy]).toEqual([['repeated', 1]]);
  shedder.end();
});

test('computes windows when all of them are late, as after a restart', () => {
  const clock = { ms: 1_000_000 };
  const { shedder, put } = shedderAt(clock);
  for (const age of [30_000, 29_900, 29_800]) {
    put(age);
    expect(shedder.take()).toBeDefined();
  }
  shedder.end();
});

test('computes a window that closed late for lack of input: that is not overload', () => {
  const clock = { ms: 1_000_000 };
  const { shedder, put } = shedderAt(clock, false);
  done(shedder, clock, put, 600);
  put(1900);
  const work = shedder.take()!;
  clock.ms += 300;
  expect(shedder.isWanted(work)).toBe(true);
  shedder.end();
});

test('overload persists over a turn that lasts longer than a second', () => {
  const queue = new StandingQueue(MAX_LAG_MS);
  for (let now = 1000; now <= 1600; now += 100) queue.isTooLate(now - 400, now);
  expect(queue.isTooLate(1300, 1700)).toBe(true);
  expect(queue.isTooLate(1700, 1750)).toBe(false);
  expect(queue.isTooLate(2000, 2900)).toBe(true);
  // Calm for one second: a pause alone loses nothing.
  for (let now = 3000; now <= 4100; now += 100) expect(queue.isTooLate(now, now)).toBe(false);
  expect(queue.isTooLate(4100, 4500)).toBe(false);
});
