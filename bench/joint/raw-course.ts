import { LINK_FEATURES } from '../../operators/infer-pose/inputs/features.js';
import { featuresOf } from '../../operators/infer-pose/windows/request.js';
import type { Link } from '../../pipeline/model/index.js';
import { PEOPLE, peopleAt, TOLD, type PlayedRoom } from '../memory/courses.js';

/** A simulated room before any network: the features of its links in each window, and the ground truth. */
export interface RawCourse {
  readonly windows: number;
  readonly links: number;
  /** Rows of `features`. */
  readonly rows: number;
  /** [rows, LINK_FEATURES] */
  readonly features: Float32Array;
  /** [windows, links]: the row of each link; -1: it is missing or faulty. */
  readonly row: Int32Array;
  /** [2], metres. */
  readonly size: Float32Array;
  /** [links, 6]: transmitter and receiver, metres. */
  readonly places: Float32Array;
  /** [windows] */
  readonly people: Int32Array;
  /** [windows, PEOPLE, TOLD] */
  readonly truth: Float32Array;
}

export function rawCourse(room: PlayedRoom): RawCourse {
  const { environment, asked } = room;
  const windows = asked.length;
  const links = environment.links.length;
  const numbers = new Map(environment.links.map(({ id }, index) => [id, index]));
  const rows = asked.reduce((sum, { ids }) => sum + ids.length, 0);
  const course = {
    ...{ windows, links, rows },
    features: new Float32Array(rows * LINK_FEATURES),
    row: new Int32Array(windows * links).fill(-1),
    size: Float32Array.of(environment.size.x, environment.size.y),
    places: Float32Array.from(environment.links.flatMap(placesOf)),
    people: new Int32Array(windows),
    truth: new Float32Array(windows * PEOPLE * TOLD),
  };
  let next = 0;
  asked.forEach(({ request, ids, tick }, w) => {
    course.features.set(featuresOf([request]), next * LINK_FEATURES);
    for (const id of ids) course.row[w * links + numbers.get(id)!] = next++;
    const people = peopleAt(room, tick);
    course.people[w] = people.length;
    course.truth.set(people.slice(0, PEOPLE).flat(), w * PEOPLE * TOLD);
  });
  return course;
}

const placesOf = ({ transmitter, receiver }: Link): number[] => [...transmitter, ...receiver];
