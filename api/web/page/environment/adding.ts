import type { Draft, DraftLink, DraftWall, DraftZone, Point2 } from './draft.js';
import { change, draft, selection } from './editing.js';
import { freshName, inside, without } from './geometry.js';

export type Tool = 'move' | 'zone' | 'wall' | 'link';

/** Metres; a drag shorter than this is a click. */
const SHORTEST = 0.15;
/** Height of a new device, metres. */
const DEVICE_HEIGHT = 1.2;
/** Half the size of what a click or a key adds, metres. */
const HALF = { zone: 0.6, wall: 0.8, link: 1.2 } as const;

/** Adds what was drawn from one point to another, and selects it. */
export function add(tool: Exclude<Tool, 'move'>, from: Point2, to: Point2, sender?: string): void {
  const now = draft.value;
  if (!now) return;
  const short = Math.hypot(to[0] - from[0], to[1] - from[1]) < SHORTEST;
  const half = HALF[tool];
  const away = tool === 'zone' ? half : 0;
  const [one, other] = short
    ? [inside([from[0] - half, from[1] - away], now), inside([from[0] + half, from[1] + away], now)]
    : [inside(from, now), inside(to, now)];
  change(MAKE[tool](now, one, other, sender));
  const part = `${tool}s` as const;
  selection.value = { part, index: (draft.value?.[part]?.length ?? 1) - 1 };
}

export const middle = ({ size }: Draft): Point2 => [size.x / 2, size.y / 2];

const MAKE = {
  zone: (now: Draft, [x1, y1]: Point2, [x2, y2]: Point2): Draft => {
    const [left, right, low, high] = [Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2)];
    const zones = now.zones ?? [];
    const zone: DraftZone = {
      id: freshName(
        'zone',
        zones.map(({ id }) => id),
      ),
      polygon: [
        [left, low],
        [right, low],
        [right, high],
        [left, high],
      ],
    };
    return { ...now, zones: [...zones, zone] };
  },
  wall: (now: Draft, from: Point2, to: Point2): Draft => {
    const wall: DraftWall = { from, to };
    return { ...now, walls: [...(now.walls ?? []), wall] };
  },
  link: (now: Draft, from: Point2, to: Point2, sender?: string): Draft => {
    const { links } = now;
    const link: DraftLink = {
      id: freshName(
        'link',
        links.map(({ id }) => id),
      ),
      transmitter: [...from, DEVICE_HEIGHT],
      receiver: [...to, DEVICE_HEIGHT],
      sender:
        sender ??
        freshName(
          'node',
          links.map((one) => one.sender),
        ),
    };
    return { ...now, links: [...links, link] };
  },
} as const;

/** Removes what is selected. An environment keeps its last link. */
export function removeSelected(): void {
  const now = draft.value;
  const { value } = selection;
  if (!now || !isRemovable(now, value)) return;
  const list = now[value.part] ?? [];
  change({ ...now, [value.part]: without<unknown>(list, value.index) });
  selection.value = { part: 'room' };
}

type Selected = typeof selection.value;

const isRemovable = (now: Draft, selected: Selected): selected is Exclude<Selected, { part: 'room' }> =>
  selected.part !== 'room' && (selected.part !== 'links' || now.links.length > 1);
