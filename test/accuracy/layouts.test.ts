import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { inCeilingCorners, misplaced, onOneWall } from '../../bench/accuracy/chain/layouts.js';
import { randomEnvironment } from '../../bench/accuracy/chain/rooms.js';
import { EnvironmentSchema, type Environment } from '../../pipeline/model/index.js';

const rooms = Array.from(
  { length: 30 },
  (_, index) => [randomEnvironment(700_000 + index, 4), index] as const,
);
const nodesOf = ({ links }: Environment) =>
  links.flatMap(({ transmitter, receiver }) => [transmitter, receiver]);

describe.each([
  ['on one wall', (room: Environment, seed: number) => onOneWall(room, seed, 4)],
  ['in the corners of the ceiling', (room: Environment) => inCeilingCorners(room, 4)],
  ['misplaced', (room: Environment, seed: number) => misplaced(room, seed, 0.5)],
])('nodes %s', (_, layout) => {
  it('are in valid environments with as many different links, the same from the same seed', () => {
    for (const [room, seed] of rooms) {
      const laidOut = layout(room, seed);
      expect(Value.Check(EnvironmentSchema, laidOut)).toBe(true);
      expect(
        new Set(laidOut.links.map(({ transmitter, receiver }) => [transmitter, receiver].join())).size,
      ).toBe(4);
      expect(layout(room, seed)).toEqual(laidOut);
    }
  });

  it('stand inside the room', () => {
    for (const [room, seed] of rooms)
      for (const [x, y, z] of nodesOf(layout(room, seed))) {
        expect(Math.min(x!, y!, z!)).toBeGreaterThan(0);
        expect(x).toBeLessThan(room.size.x);
        expect(y).toBeLessThan(room.size.y);
        expect(z).toBeLessThan(room.size.z);
      }
  });
});

it('all nodes on one wall are at the same distance from it', () => {
  for (const [room, seed] of rooms) {
    const axis = room.size.x >= room.size.y ? 1 : 0;
    expect(new Set(nodesOf(onOneWall(room, seed, 4)).map((node) => node[axis])).size).toBe(1);
  }
});

it('a node is misplaced by the same half metre in all its links', () => {
  for (const [room, seed] of rooms) {
    const before = nodesOf(room);
    const after = nodesOf(misplaced(room, seed, 0.5));
    const moved = new Map<string, string>();
    before.forEach(([x, y, z], index) => {
      const [mx, my, mz] = after[index]!;
      expect(Math.hypot(mx! - x!, my! - y!)).toBeCloseTo(0.5);
      expect(mz).toBe(z);
      const known = moved.get(`${x},${y},${z}`);
      expect(known ?? `${mx},${my}`).toBe(`${mx},${my}`);
      moved.set(`${x},${y},${z}`, `${mx},${my}`);
    });
  }
});

it('four nodes give no more than six links', () => {
  expect(() => inCeilingCorners(rooms[0]![0], 7)).toThrow('six links, not 7');
});
