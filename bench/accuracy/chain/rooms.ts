import type { Environment, Link } from '../../../pipeline/model/index.js';
import { Random } from '../../../pipeline/sources/simulator/shared/random.js';
import { randomLinks, randomSize } from '../../../pipeline/sources/simulator/shared/room.js';

/** No random stream of the simulator has this number: a room does not depend on what happens in it. */
const STREAM = 90;

/**
 * A room as a user would describe it: its size, and the positions of the nodes along its walls, to the
 * centimetre.
 */
export function randomEnvironment(seed: number, links: number): Environment {
  const random = new Random(seed, STREAM, links);
  const drawn = randomSize(random);
  const size = { x: centimetres(drawn.x), y: centimetres(drawn.y), z: centimetres(drawn.z) };
  const id = `room-${seed}`;
  return {
    id,
    size,
    links: randomLinks(random, size, links).map(({ transmitter, antennas }, index): Link => {
      const number = index + 1;
      return {
        id: `${id}-link-${number}`,
        transmitter: transmitter.map(centimetres),
        receiver: antennas[0]!.map(centimetres),
        sender: `node-${number}`,
      };
    }),
    walls: [],
    zones: [
      {
        id: 'left',
        polygon: [
          [0, 0],
          [size.x / 2, 0],
          [size.x / 2, size.y],
          [0, size.y],
        ],
      },
    ],
    timezone: 'UTC',
    assumed: [],
  };
}

/** A room of unknown size, with the one link of a recording. */
export const recordedEnvironment = (): Environment => ({
  id: 'recording',
  size: { x: 5, y: 4, z: 2.5 },
  links: [{ id: 'link', transmitter: [0, 0.5, 1], receiver: [5, 3.5, 1], sender: '*' }],
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: ['Size of the room, and where the nodes stood.'],
});

export const centimetres = (metres: number): number => Math.round(metres * 100) / 100;
