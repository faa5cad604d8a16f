import {
  point,
  SKELETON,
  type Environment,
  type LeftOutLink,
  type Person,
  type Point,
} from '../../pipeline/model/index.js';
import { nanoseconds } from './time.js';

/** Drawings as foxglove.SceneUpdate. Coordinates are the room's, metres. */

/** Red, green, blue and opacity, 0 to 1. */
interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly a: number;
}

const colour = (r: number, g: number, b: number, a = 1): Colour => ({ r, g, b, a });
const WALL = colour(0.55, 0.55, 0.6);
const LINK = colour(0.35, 0.65, 0.95, 0.6);
const FAULT = colour(0.95, 0.2, 0.2, 0.9);
const TRANSMITTER = colour(0.95, 0.65, 0.2);
const RECEIVER = colour(0.3, 0.75, 0.45);
const TEXT = colour(0.9, 0.9, 0.9);
const ZONE = colour(0.7, 0.6, 0.95, 0.8);
/** Colours of people, by the number of their track, so that neighbours differ. */
const PEOPLE = [
  colour(0.95, 0.77, 0.06),
  colour(0.16, 0.67, 0.89),
  colour(0.91, 0.3, 0.55),
  colour(0.42, 0.8, 0.35),
  colour(0.64, 0.45, 0.93),
  colour(0.96, 0.52, 0.2),
];

/** `LinePrimitive.Type` of the schema. */
const [LOOP, LIST] = [1, 2];
/** `SceneEntityDeletion.Type`: all entities of the topic that are older. */
const ALL = 1;

/** Protocol Buffers represent times as seconds and nanoseconds. */
export function timestamp(time: number): { readonly seconds: number; readonly nanos: number } {
  const all = nanoseconds(time);
  return { seconds: Number(all / 1_000_000_000n), nanos: Number(all % 1_000_000_000n) };
}

/** Room, inner walls, zones, and the links with their antennas: the static part. */
export function roomScene(environment: Environment, time: number): object {
  const { id, walls, zones, links, size } = environment;
  const entity = entityAt(time, id);
  const height = size.z;
  return {
    entities: [
      entity('room', {
        lines: [
          line(LIST, boxEdges(size), WALL, 0.03),
          ...walls.map(({ from, to }) => line(LOOP, panel(from, to, height), WALL, 0.03)),
        ],
      }),
      ...zones.map((zone) =>
        entity(`zone ${zone.id}`, {
          lines: [
            line(
              LOOP,
              zone.polygon.map((corner) => at(corner, ABOVE_FLOOR)),
              ZONE,
              0.03,
            ),
          ],
          texts: [
            text(zone.name ?? zone.id, middleOf(zone.polygon.map((corner) => at(corner, ABOVE_FLOOR)))),
          ],
        }),
      ),
      ...links.map((link) => {
        const ends = [point(link.transmitter), point(link.receiver)];
        return entity(`link ${link.id}`, {
          lines: [line(LIST, ends, LINK, 0.015)],
          spheres: [sphere(ends[0]!, TRANSMITTER, 0.12), sphere(ends[1]!, RECEIVER, 0.12)],
          texts: [text(link.id, middleOf(ends))],
        });
      }),
    ],
  };
}

/** The people of one moment; replaces the previous ones. */
export function peopleScene(environment: string, time: number, persons: readonly Person[]): object {
  const entity = entityAt(time, environment);
  return {
    deletions: [{ timestamp: timestamp(time), type: ALL }],
    entities: persons.map((person, index) => entity(nameOf(person, index), drawing(person, index))),
  };
}

/** The implausible and silent links of one moment; replaces the previous ones. */
export function faultScene(environment: Environment, time: number, faults: readonly LeftOutLink[]): object {
  const entity = entityAt(time, environment.id);
  return {
    deletions: [{ timestamp: timestamp(time), type: ALL }],
    entities: faults.flatMap(({ link, fault }) => {
      const found = environment.links.find(({ id }) => id === link);
      if (!found) return [];
      const ends = [point(found.transmitter), point(found.receiver)];
      return [
        entity(`fault ${link}`, {
          lines: [line(LIST, ends, FAULT, 0.03)],
          texts: [text(`${link}: ${fault}`, middleOf(ends))],
        }),
      ];
    }),
  };
}

/** Points along all lines of a room, for readers without support for scenes. */
export function roomPoints({ size, walls, links }: Environment): readonly Point[] {
  const panels = walls.map(({ from, to }) => panel(from, to, size.z));
  const edges = [
    boxEdges(size),
    ...panels.map((corners) => corners.flatMap((corner, i) => [corner, corners[(i + 1) % 4]!])),
    ...links.map(({ transmitter, receiver }) => [point(transmitter), point(receiver)]),
  ].flat();
  return Array.from({ length: edges.length / 2 }, (_, i) => along(edges[2 * i]!, edges[2 * i + 1]!)).flat();
}

/** `#3`, or the index in the pose frame of an untracked person. */
const nameOf = ({ track }: Person, index: number): string =>
  track ? `person ${track.id}` : `untracked ${index}`;

const colourOf = ({ track }: Person, index: number): Colour => PEOPLE[(track?.id ?? index) % PEOPLE.length]!;

function drawing(person: Person, index: number): object {
  const tint = colourOf(person, index);
  const { position, positionError, keypoints, articulated, heading } = person;
  const top = articulated ? Math.max(...keypoints.map(({ z }) => z)) : position.z;
  return {
    texts: [text(labelOf(person), { ...position, z: top + 0.25 })],
    arrows: heading === null ? [] : [arrow(position, heading, tint)],
    ...(articulated
      ? {
          lines: [{ ...line(LIST, keypoints, tint, 0.04), indices: SKELETON.flat() }],
          spheres: keypoints.map((joint) => sphere(joint, tint, 0.07)),
        }
      : { cylinders: [disc(position, positionError, tint)] }),
  };
}

function labelOf({ track, posture, confidence, articulated, positionError }: Person): string {
  const known = articulated ? '' : `, within ${positionError.toFixed(1)} m`;
  return `${track ? `#${track.id} ` : ''}${posture}, ${Math.round(100 * confidence)} %${known}`;
}

const entityAt =
  (time: number, frame: string) =>
  (id: string, parts: object): object => ({ timestamp: timestamp(time), frame_id: frame, id, ...parts });

/** Vertical scale of areas on the floor, so that the floor does not hide them. */
const ABOVE_FLOOR = 0.01;
const at = ([x, y]: readonly number[], z: number): Point => ({ x: x!, y: y!, z });
const xyz = ({ x, y, z }: Point): Point => ({ x, y, z });
const poseAt = (position: Point, yaw = 0): object => ({
  position: xyz(position),
  orientation: orientation(yaw),
});

/** A rotation about the vertical axis, radians, as a quaternion. */
export const orientation = (yaw: number): object => ({
  x: 0,
  y: 0,
  z: Math.sin(yaw / 2),
  w: Math.cos(yaw / 2),
});

const line = (type: number, points: readonly Point[], color: Colour, thickness: number): object => ({
  type,
  pose: poseAt(ORIGIN),
  thickness,
  points: points.map(xyz),
  color,
});
const ORIGIN: Point = { x: 0, y: 0, z: 0 };

const sphere = (position: Point, color: Colour, diameter: number): object => ({
  pose: poseAt(position),
  size: { x: diameter, y: diameter, z: diameter },
  color,
});

const disc = (position: Point, radius: number, { r, g, b }: Colour): object => ({
  pose: poseAt({ ...position, z: position.z + ABOVE_FLOOR }),
  size: { x: 2 * radius, y: 2 * radius, z: 0.02 },
  bottom_scale: 1,
  top_scale: 1,
  color: colour(r, g, b, 0.4),
});

const arrow = (position: Point, heading: number, color: Colour): object => ({
  pose: poseAt({ ...position, z: position.z + ABOVE_FLOOR }, heading),
  shaft_length: 0.35,
  shaft_diameter: 0.05,
  head_length: 0.15,
  head_diameter: 0.12,
  color,
});

const text = (content: string, position: Point): object => ({
  pose: poseAt(position),
  billboard: true,
  font_size: 0.15,
  color: TEXT,
  text: content,
});

const middleOf = (points: readonly Point[]): Point => {
  const mean = (axis: keyof Point) => points.reduce((sum, each) => sum + each[axis], 0) / points.length;
  return { x: mean('x'), y: mean('y'), z: mean('z') };
};

/** Corners of a wall from floor to ceiling, in order. */
const panel = (from: readonly number[], to: readonly number[], height: number): readonly Point[] => [
  at(from, 0),
  at(to, 0),
  at(to, height),
  at(from, height),
];

/** The twelve edges of a box, as pairs of ends. */
function boxEdges({ x, y, z }: Point): readonly Point[] {
  const corners = [at([0, 0], 0), at([x, 0], 0), at([x, y], 0), at([0, y], 0)];
  return corners.flatMap((corner, i) => {
    const next = corners[(i + 1) % 4]!;
    return [corner, next, { ...corner, z }, { ...next, z }, corner, { ...corner, z }];
  });
}

/** Metres between points along a line. */
const POINT_STEP = 0.1;

function along(from: Point, to: Point): readonly Point[] {
  const length = Math.hypot(to.x - from.x, to.y - from.y, to.z - from.z);
  const steps = Math.max(1, Math.ceil(length / POINT_STEP));
  const between = (axis: keyof Point, step: number) => from[axis] + ((to[axis] - from[axis]) * step) / steps;
  return Array.from({ length: steps + 1 }, (_, step) => ({
    x: between('x', step),
    y: between('y', step),
    z: between('z', step),
  }));
}
