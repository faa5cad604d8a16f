import { bandOf } from '../../pipeline/sources/simulator/band.js';
import { Channel } from '../../pipeline/sources/simulator/channel.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import {
  NO_DIFFUSE,
  randomLinks,
  randomSize,
  type Room,
} from '../../pipeline/sources/simulator/shared/room.js';

/**
 * Prints the static wall paths of 20 random rooms of the simulator, for referee.py. The contribution of a
 * wall, or of a pair of walls, is determined from channels that have only those walls: this judges the
 * channel itself, not a copy.
 */

const ROOMS = 20;
/** The rooms of reports: nothing was trained or tuned on them. */
const FIRST_SEED = 900_000;
const CARRIER = 2.437e9;
/** 57 subcarriers of 312.5 kHz. */
const SUBCARRIERS = Array.from({ length: 57 }, (_, i) => i - 28);
/**
 * Reflection by a perfect conductor, as a vertical antenna sees it: walls reverse the field, floor and ceiling do not.
 * The simulator itself uses -0.25 to -0.95 for all six.
 */
const REFLECTION = [-1, -1, -1, -1, 1, 1];

const rooms = Array.from({ length: ROOMS }, (_, index) => {
  const random = new Random(FIRST_SEED + index, 20);
  const size = randomSize(random);
  const [link] = randomLinks(random, size, 1);
  const transmitter = link!.transmitter;
  const receiver = link!.antennas[0]!;
  const band = bandOf(SUBCARRIERS, CARRIER);
  const heard = (walls: readonly number[]): Float64Array => {
    const reflection = REFLECTION.map((value, wall) => (walls.includes(wall) ? value : 0));
    const room: Room = { size, reflection, furniture: [], diffuse: NO_DIFFUSE };
    const out = new Float64Array(2 * SUBCARRIERS.length);
    new Channel(room, transmitter, receiver, band).respond([], out);
    return out;
  };
  const none = heard([]);
  const single = REFLECTION.map((_, wall) => minus(heard([wall]), none));
  const paths = [{ walls: [] as number[], response: Array.from(none) }];
  single.forEach((response, wall) => paths.push({ walls: [wall], response: Array.from(response) }));
  for (let first = 0; first < 6; first++) {
    for (let second = first + 1; second < 6; second++) {
      const both = minus(minus(minus(heard([first, second]), none), single[first]!), single[second]!);
      paths.push({ walls: [first, second], response: Array.from(both) });
    }
  }
  return { seed: FIRST_SEED + index, size: [size.x, size.y, size.z], transmitter, receiver, paths };
});

function minus(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value - b[i]!);
}

process.stdout.write(
  `${JSON.stringify({ carrier: CARRIER, spacing: 312_500, subcarriers: SUBCARRIERS, rooms })}\n`,
);
