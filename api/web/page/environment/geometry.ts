import type { Draft, Point2, Point3 } from './draft.js';
import { rounded } from './draft.js';

/** Metres to pixels of the drawing, which is seen from above with y upwards, and back. */
export interface Scale {
  readonly width: number;
  readonly height: number;
  readonly perMetre: number;
  readonly at: (point: readonly [number, number, ...number[]]) => Point2;
  readonly back: (across: number, down: number) => Point2;
}

/** Space for the numbers at the edges, pixels. */
const MARGIN = 34;

export function scaleOf({ size }: Pick<Draft, 'size'>, width: number, most: number): Scale {
  // A drawing that is not laid out yet, or is hidden, has no width.
  const perMetre = Math.max(1, Math.min((width - 2 * MARGIN) / size.x, (most - 2 * MARGIN) / size.y));
  const [wide, high] = [size.x * perMetre, size.y * perMetre];
  const left = (width - wide) / 2;
  return {
    width,
    height: high + 2 * MARGIN,
    perMetre,
    at: ([x, y]) => [left + x * perMetre, MARGIN + high - y * perMetre],
    back: (across, down) => [(across - left) / perMetre, (MARGIN + high - down) / perMetre],
  };
}

/** Drawn points lie on a grid of 5 cm, which is finer than people measure. */
const GRID = 0.05;

export const snapped = (metres: number): number => rounded(Math.round(metres / GRID) * GRID);

/** A point on the grid and in the room. */
export const inside = ([x, y]: Point2, { size }: Pick<Draft, 'size'>): Point2 => [
  Math.min(size.x, Math.max(0, snapped(x))),
  Math.min(size.y, Math.max(0, snapped(y))),
];

const sameList = (one: readonly number[], other: readonly number[]): boolean =>
  one.every((value, index) => value === other[index]);

/** A device: ends of links at the same place move together. */
export interface Device {
  readonly place: Point3;
  /** Indexes of the links that it sends or receives. */
  readonly sends: readonly number[];
  readonly receives: readonly number[];
}

export function devicesOf({ links }: Draft): readonly Device[] {
  const found: { place: Point3; sends: number[]; receives: number[] }[] = [];
  const at = (place: Point3) => {
    const known = found.find((device) => sameList(device.place, place));
    if (known) return known;
    const device = { place, sends: [], receives: [] };
    found.push(device);
    return device;
  };
  links.forEach(({ transmitter, receiver }, index) => {
    at(transmitter).sends.push(index);
    at(receiver).receives.push(index);
  });
  return found;
}

/** A draft with a device elsewhere, at the same height. */
export function withDeviceAt(now: Draft, { place, sends, receives }: Device, to: Point2): Draft {
  const moved: Point3 = [...inside(to, now), place[2]];
  return {
    ...now,
    links: now.links.map((link, index) => ({
      ...link,
      ...(sends.includes(index) && { transmitter: moved }),
      ...(receives.includes(index) && { receiver: moved }),
    })),
  };
}

/** A list with another item at an index; the others are the same objects. */
export const withAt = <T>(list: readonly T[], index: number, item: T): readonly T[] =>
  list.map((one, at) => (at === index ? item : one));

export const without = <T>(list: readonly T[], index: number): readonly T[] =>
  list.filter((_, at) => at !== index);

/** A name that no item has yet: `zone-3`. */
export function freshName(prefix: string, taken: readonly string[]): string {
  for (let number = taken.length + 1; ; number++)
    if (!taken.includes(`${prefix}-${number}`)) return `${prefix}-${number}`;
}

export const middleOf = (polygon: readonly Point2[]): Point2 => [
  polygon.reduce((sum, [x]) => sum + x, 0) / polygon.length,
  polygon.reduce((sum, [, y]) => sum + y, 0) / polygon.length,
];

/** A polygon moved as a whole, its corners kept in the room. */
export function polygonMoved(polygon: readonly Point2[], [dx, dy]: Point2, now: Draft): readonly Point2[] {
  const clamp = (by: number, values: readonly number[], most: number) =>
    Math.min(Math.max(by, -Math.min(...values)), Math.max(most - Math.max(...values), -Math.min(...values)));
  const x = clamp(
    snapped(dx),
    polygon.map(([one]) => one),
    now.size.x,
  );
  const y = clamp(
    snapped(dy),
    polygon.map(([, one]) => one),
    now.size.y,
  );
  return polygon.map(([one, other]) => [rounded(one + x), rounded(other + y)]);
}
