import type { Environment } from '../../model/index.js';
import { NO_IMPAIRMENTS } from './impairments.js';
import { Body, POSE, randomBody } from './person/body.js';
import { homePose } from './person/poses.js';
import { bandOf, GROUPS } from './band.js';
import { Scene, knownRoomOf } from './scene.js';
import { Random } from './shared/random.js';
import { randomRoom } from './shared/room.js';

/** What the links of an environment can tell about a person who stands on a part of its floor. */
export interface Coverage {
  /** Edge of a cell, metres; the first cell begins at the corner of the floor. */
  readonly step: number;
  readonly columns: number;
  readonly rows: number;
  /** [row][column], row 0 at y = 0: mean number of links that the person changes by {@link SEEN_DB} or more. */
  readonly links: readonly number[];
  /** [row][column]: expected error of the position, metres. */
  readonly error: readonly number[];
}

/** A link sees a person if its mean change is as large as the drift of cheap receivers, decibels. */
const SEEN_DB = 1;
/** Rooms that differ in walls and furniture, which an environment does not describe. */
const ROOMS = 4;
/** People of random size and heading in each cell and room. */
const PEOPLE = 6;
const [SMALLEST_STEP, MOST_CELLS] = [0.4, 300];
/** Channels computed at most: about three seconds. */
const MOST_CHANNELS = 300_000;
/**
 * Noise of the features, decibels, and the error that remains with any number of links, metres. Chosen so that
 * random rooms with 4, 6 and 9 links have about the mean errors of walking people in docs/reports/accuracy.md: 0.46,
 * 0.28 and 0.27 m instead of 0.41, 0.31 and 0.27 m, the figures of the version that it was fitted to.
 */
const [NOISE_DB, LEAST_ERROR] = [0.25, 0.27];

/** @throws RangeError if there are too many links to simulate */
export function coverageOf(environment: Environment, seed = 1): Coverage {
  const { size } = environment;
  const step = Math.max(SMALLEST_STEP, Math.sqrt((size.x * size.y) / MOST_CELLS));
  const [columns, rows] = [Math.max(1, Math.round(size.x / step)), Math.max(1, Math.round(size.y / step))];
  const known = knownRoomOf(environment);
  const channels = columns * rows * ROOMS * PEOPLE * known.links.length;
  if (channels > MOST_CHANNELS)
    throw new RangeError(`${known.links.length} links are too many to simulate in a room of this size`);
  const places = Array.from({ length: rows * columns }, (_, cell): readonly [number, number] => [
    ((cell % columns) + 0.5) * (size.x / columns),
    (Math.floor(cell / columns) + 0.5) * (size.y / rows),
  ]);
  const all = Array.from({ length: ROOMS }, (_, room) => {
    const random = new Random(seed, 20, room);
    const drawn = randomRoom(random, size);
    const scene = new Scene(seed + room, drawn, drawn, known.links, bandOf(GROUPS), NO_IMPAIRMENTS);
    return places.map((place) => featuresAt(scene, place, random));
  });
  const mean = (of: (features: readonly Features[], cell: number) => number) =>
    places.map((_, cell) => all.reduce((sum, features) => sum + of(features, cell), 0) / ROOMS);
  return {
    step: size.x / columns,
    columns,
    rows,
    links: mean((features, cell) => features[cell]!.change.filter((db) => db >= SEEN_DB).length),
    error: mean((features, cell) => expectedError(features, places, cell)),
  };
}

/** By link, decibels. */
interface Features {
  /** Root of the mean squared change, over subcarriers and people. */
  readonly change: readonly number[];
  /** Mean change: negative where people stand in the way. */
  readonly shadow: readonly number[];
}

function featuresAt(scene: Scene, [x, y]: readonly [number, number], random: Random): Features {
  const size = scene.packetSize(0);
  const [out, empty] = [new Float64Array(size), new Float64Array(size)];
  const sums = scene.links.map(() => ({ square: 0, sum: 0, count: 0 }));
  for (let person = 0; person < PEOPLE; person++) {
    const body = new Body(randomBody(random));
    const jitter = () => random.uniform(-SMALLEST_STEP, SMALLEST_STEP) / 2;
    const pose = homePose(random, scene.size, [x + jitter(), y + jitter()]);
    pose[POSE.heading] = random.uniform(-Math.PI, Math.PI);
    body.pose(pose);
    sums.forEach((sum, link) => {
      scene.channel(link, [body], out);
      scene.channel(link, [], empty);
      for (let at = 0; at < size; at += 2) {
        const db = 10 * Math.log10(power(out, at) / power(empty, at));
        sum.square += db * db;
        sum.sum += db;
        sum.count++;
      }
    });
  }
  return {
    change: sums.map(({ square, count }) => Math.sqrt(square / count)),
    shadow: sums.map(({ sum, count }) => sum / count),
  };
}

const power = (values: Float64Array, at: number): number => values[at]! ** 2 + values[at + 1]! ** 2 + 1e-30;

/** Mean distance to the places that look alike, each weighted by how hard the two are to tell apart. */
function expectedError(
  features: readonly Features[],
  places: readonly (readonly [number, number])[],
  cell: number,
): number {
  const own = features[cell]!;
  let [weights, sum] = [0, 0];
  features.forEach((other, at) => {
    let distance = 0;
    own.change.forEach((db, link) => {
      distance += (db - other.change[link]!) ** 2 + (own.shadow[link]! - other.shadow[link]!) ** 2;
    });
    const weight = Math.exp(-distance / (4 * NOISE_DB * NOISE_DB));
    weights += weight;
    sum += weight * Math.hypot(places[cell]![0] - places[at]![0], places[cell]![1] - places[at]![1]);
  });
  return Math.hypot(LEAST_ERROR, sum / weights);
}
