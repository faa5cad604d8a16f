import type { Environment, Link } from '../../../pipeline/model/index.js';
import { Random } from '../../../pipeline/sources/simulator/shared/random.js';
import { centimetres } from './rooms.js';

/** Other places for the nodes of a room than {@link randomEnvironment} chooses. Metres; z points upward. */

type Place = readonly [number, number, number];

const WALL_STREAM = 94;
const MISPLACED_STREAM = 95;

/** Distance of nodes from walls and ceiling. */
const INSET = 0.03;
const CORNER_INSET = 0.1;
/** Links between four nodes, the longest first. */
const PAIRS = [
  [0, 2],
  [1, 3],
  [0, 3],
  [1, 2],
  [0, 1],
  [2, 3],
] as const;

/** Four nodes along the longest wall, 0.5 to 2 m high, with the first `count` of the links between them. */
export function onOneWall(room: Environment, seed: number, count: number): Environment {
  const random = new Random(seed, WALL_STREAM);
  const { x, y } = room.size;
  const nodes = [0.05, 0.35, 0.65, 0.95].map((share): Place => {
    const height = random.uniform(0.5, 2);
    return x >= y ? [share * x, INSET, height] : [INSET, share * y, height];
  });
  return linked(room, 'wall', nodes, count);
}

/** Four nodes in the corners below the ceiling, with the first `count` of the links between them. */
export function inCeilingCorners(room: Environment, count: number): Environment {
  const { x, y, z } = room.size;
  const [right, back, top] = [x - CORNER_INSET, y - CORNER_INSET, z - CORNER_INSET];
  const nodes: Place[] = [
    [CORNER_INSET, CORNER_INSET, top],
    [right, CORNER_INSET, top],
    [right, back, top],
    [CORNER_INSET, back, top],
  ];
  return linked(room, 'corners', nodes, count);
}

/** @param name makes the room's id differ: links of two layouts never share a calibration */
function linked(room: Environment, name: string, nodes: readonly Place[], count: number): Environment {
  if (count > PAIRS.length) throw new RangeError(`four nodes give six links, not ${count}`);
  const id = `${room.id}-${name}`;
  return {
    ...room,
    id,
    links: PAIRS.slice(0, count).map(([from, to], index): Link => {
      const number = index + 1;
      return {
        id: `${id}-link-${number}`,
        transmitter: nodes[from]!.map(centimetres),
        receiver: nodes[to]!.map(centimetres),
        sender: `node-${number}`,
      };
    }),
  };
}

/** The room as somebody would describe it who measured the place of each node `metres` wrong, across the floor. */
export function misplaced(room: Environment, seed: number, metres: number): Environment {
  const random = new Random(seed, MISPLACED_STREAM);
  const { x, y } = room.size;
  const moved = new Map<string, readonly number[]>();
  const move = (place: readonly number[]): readonly number[] => {
    const [px, py, pz] = place as Place;
    for (;;) {
      const angle = random.uniform(0, 2 * Math.PI);
      const [mx, my] = [px + metres * Math.cos(angle), py + metres * Math.sin(angle)];
      if (mx > 0 && mx < x && my > 0 && my < y) return [mx, my, pz];
    }
  };
  const placeOf = (place: readonly number[]): number[] => {
    const key = place.join();
    const known = moved.get(key) ?? move(place);
    moved.set(key, known);
    return [...known];
  };
  return {
    ...room,
    links: room.links.map((link) => ({
      ...link,
      transmitter: placeOf(link.transmitter),
      receiver: placeOf(link.receiver),
    })),
  };
}
