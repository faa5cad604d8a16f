import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServiceError } from '../../api/client/errors.js';
import { loadEarlier } from '../../api/web/page/state/earlier.js';

const HOUR_MS = 3_600_000;

/** Milliseconds since the start, and the room, of each request; null: all rooms. */
let asked: (readonly [number, string | null])[];
let told: string[];
let rooms: string[];
let started: number;
/** The status that a request for a room gets. */
let answer: (room: string | null) => number;
let retryAfter: string | null;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  told = [];
  rooms = ['hall', 'ward'];
  started = Date.now();
  answer = () => 200;
  retryAfter = null;
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const begin = (): Promise<unknown> => {
  stop = loadEarlier({
    load: (room) => {
      asked.push([Date.now() - started, room]);
      const status = answer(room);
      if (status === 200) return Promise.resolve();
      const headers = retryAfter === null ? {} : { 'Retry-After': retryAfter };
      return Promise.reject(new ServiceError(new Response(null, { status, headers }), null));
    },
    rooms: () => rooms,
    tell: (of, reason) => told.push(reason && `${of.join()}: ${reason}`),
  });
  return vi.advanceTimersByTimeAsync(0);
};
const seconds = (): number[] => asked.map(([at]) => at / 1000);

test('all rooms need one request if all answer', async () => {
  await begin();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(asked).toEqual([[0, null]]);
  expect(told).toEqual(['']);
});

test('a room whose store is offline is asked again after growing waits, and no other room is', async () => {
  answer = (room) => (room === 'ward' ? 200 : 503);
  await begin();
  expect(asked.map(([, room]) => room)).toEqual([null, 'hall', 'ward']);
  expect(told).toEqual(['hall: the service answered 503']);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(asked.slice(3)).toEqual([2, 6, 14, 30, 62, 122, 182].map((s) => [s * 1000, 'hall']));
  answer = () => 200;
  await vi.advanceTimersByTimeAsync(60_000);
  const count = asked.length;
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(asked).toHaveLength(count);
  expect(told.at(-1)).toBe('');
});

test.each([2, 10, 60])(
  '%i rooms that are all offline need less than half of the requests of an hour',
  async (count) => {
    rooms = Array.from({ length: count }, (_, i) => `room-${i}`);
    answer = () => 503;
    await begin();
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(asked.filter(([at]) => at >= HOUR_MS).length).toBeLessThan(500);
    expect(asked.filter(([at]) => at < HOUR_MS).length).toBeLessThan(1000);
  },
);

test('a room that was removed is not asked again', async () => {
  answer = (room) => (room === 'ward' ? 200 : 503);
  await begin();
  rooms = ['ward'];
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(asked).toHaveLength(3);
  expect(told.at(-1)).toBe('');
});

test.each([429, 500])('after %i, rooms are not asked one by one', async (status) => {
  answer = () => status;
  await begin();
  await vi.advanceTimersByTimeAsync(6_000);
  expect(asked).toEqual([0, 2, 6].map((s) => [s * 1000, null]));
  expect(told.at(-1)).toBe(`: the service answered ${status}`);
});

test('the wait is at least what the service asks for', async () => {
  answer = () => 429;
  retryAfter = '900';
  await begin();
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  expect(seconds()).toEqual([0, 900, 1800, 2700]);
});

test('once ended, it asks nothing', async () => {
  answer = () => 503;
  await begin();
  stop();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(asked).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});
