import { expect, test } from 'vitest';
import { roomNowIn, staleAfter } from '../../api/web/page/state/room-now.js';

const told = { time: '2026-01-01T00:00:01Z', origin: 'live', motion: 0.5, presence_probability: 0.9 };
const node = (rooms: unknown) => ({ kind: 'operator', details: { rooms } });

test.each([null, 'busy', 3, {}, { time: 12 }, { ...told, motion: '0.5' }])(
  'a node that describes a room as %j is passed over',
  (other) => {
    expect(roomNowIn([node({ ward: other }), node({ ward: told })], 'ward')).toBe(told);
  },
);

test.each([null, 'rooms', 7, undefined])('details whose rooms are %j are passed over', (rooms) => {
  expect(roomNowIn([node(rooms), { kind: 'source', details: {} }], 'ward')).toBeUndefined();
});

test.each([
  [0, 6_000],
  [1000, 6_000],
  [10_000, 22_000],
  [3_600_000, 7_202_000],
])('measures that come every %i ms are stale after %i ms', (interval, expected) => {
  expect(staleAfter(interval)).toBe(expected);
});
