import type { Person, Trails } from '../state/connection.js';
import type { Room, Scene } from '../state/scene.js';
import { placeLabels, type Label } from './labels.js';
import type { Pen } from './pen.js';
import type { Point, Projection } from './projection.js';

/** The content of the room. */
export interface Contents {
  readonly persons: readonly Person[];
  /** Positions by person, oldest first. */
  readonly trails: Trails;
  /** For unacknowledged alerts. */
  readonly alarms: readonly { readonly x: number; readonly y: number }[];
}

const PERSON_COLOURS = 5;
/** Metres. */
const [HEADING, HEAD] = [0.6, 0.1];
/** Heights of texts, pixels. */
const [ZONE_SIZE, PERSON_SIZE] = [13, 14];

export const colourName = (person: number): string => `--person-${person % PERSON_COLOURS}`;

/** Walls, zones, links and people in a projection. @param tilted draws upright parts, too */
export function drawRoom(
  pen: Pen,
  {
    room,
    skeleton,
    contents,
    tilted,
  }: {
    readonly room: Room;
    readonly skeleton: Scene['skeleton'];
    readonly contents: Contents;
    readonly tilted: boolean;
  },
  projection: Projection,
): void {
  drawFloor(pen, room, projection);
  for (const zone of room.zones) drawZone(pen, zone, projection);
  if (tilted) drawShell(pen, room, projection);
  drawWalls(pen, room, projection, tilted);
  for (const link of room.links) drawLink(pen, link, projection, tilted);
  for (const [person, trail] of contents.trails)
    drawTrail(pen, trail, pen.colour(colourName(person)), projection);
  for (const place of contents.alarms) drawAlarm(pen, place, projection);
  for (const person of contents.persons) drawPerson(pen, person, skeleton, projection);
  drawNames(pen, contents.persons, room.zones, projection);
}

/** Names of people, beside those of zones, which are drawn already. */
function drawNames(pen: Pen, persons: readonly Person[], zones: Room['zones'], projection: Projection): void {
  const named = persons.flatMap((person) => {
    const at = labelledPoint(person, projection);
    const words = `${person.person_id || '?'} ${person.posture ?? ''}`;
    return at ? [{ words, at, size: PERSON_SIZE, width: pen.widthOf(words, PERSON_SIZE) }] : [];
  });
  const fixed = zones.map((zone) => zoneLabel(pen, zone, projection));
  placeLabels(named, fixed, pen.width).forEach((at, index) => {
    pen.text(named[index]!.words, at, pen.colour('--text'), PERSON_SIZE);
  });
}

/** The head of a skeleton, otherwise the place of the person; null if that is not known. */
function labelledPoint(person: Person, { at }: Projection): Point | null {
  const { position } = person;
  if (!position) return null;
  const head = person.articulated ? person.keypoints?.find((one) => one.position)?.position : null;
  return head ? at(head.x, head.y, head.z) : at(position.x, position.y);
}

function drawFloor(pen: Pen, { size: { x, y } }: Room, { at }: Projection): void {
  const grid = pen.colour('--grid');
  for (let metre = 1; metre < x; metre++) pen.line([at(metre, 0), at(metre, y)], grid);
  for (let metre = 1; metre < y; metre++) pen.line([at(0, metre), at(x, metre)], grid);
  pen.outline([at(0, 0), at(x, 0), at(x, y), at(0, y)], pen.colour('--wall'), { width: 4 });
}

/** The edges of the ceiling and the corners, thin, so that people remain visible. */
function drawShell(pen: Pen, { size: { x, y, z } }: Room, { at }: Projection): void {
  const corners = [
    [0, 0],
    [x, 0],
    [x, y],
    [0, y],
  ] as const;
  const faint = pen.colour('--grid');
  for (const [across, away] of corners) pen.line([at(across, away), at(across, away, z)], faint);
  pen.outline(
    corners.map(([across, away]) => at(across, away, z)),
    faint,
  );
}

function drawWalls(pen: Pen, { walls, size }: Room, { at }: Projection, tilted: boolean): void {
  const colour = pen.colour('--wall');
  for (const { from, to } of walls) {
    if (tilted) pen.area([at(...from), at(...to), at(...to, size.z), at(...from, size.z)], colour, 0.15);
    pen.line([at(...from), at(...to)], colour, { width: 4 });
  }
}

function drawZone(pen: Pen, zone: Room['zones'][number], projection: Projection): void {
  const corners = zone.polygon.map(([x, y]) => projection.at(x, y));
  pen.area(corners, pen.colour('--zone'), 0.12);
  pen.outline(corners, pen.colour('--zone'));
  const { at, size } = zoneLabel(pen, zone, projection);
  pen.text(nameOf(zone), at, pen.colour('--muted'), size);
}

const nameOf = ({ id, name }: Room['zones'][number]): string => name ?? id;

/** In the corner of the zone that is nearest to the corner of the canvas. */
function zoneLabel(pen: Pen, zone: Room['zones'][number], { at }: Projection): Label {
  const [left, down] = zone.polygon
    .map(([x, y]) => at(x, y))
    .reduce((one, other) => (other[0] + other[1] < one[0] + one[1] ? other : one));
  return { at: [left + 8, down + 18], size: ZONE_SIZE, width: pen.widthOf(nameOf(zone), ZONE_SIZE) };
}

function drawLink(
  pen: Pen,
  { transmitter, receiver }: Room['links'][number],
  { at }: Projection,
  tilted: boolean,
): void {
  pen.line([at(...transmitter), at(...receiver)], pen.colour('--link'), { dash: [4, 6] });
  for (const [[x, y, z], colour, radius] of [
    [transmitter, '--transmitter', 5],
    [receiver, '--receiver', 5],
  ] as const) {
    if (tilted) pen.line([at(x, y), at(x, y, z)], pen.colour('--link'));
    pen.dot(at(x, y, z), radius, pen.colour(colour));
  }
}

/** Fades with age. */
function drawTrail(
  pen: Pen,
  trail: readonly { readonly x: number; readonly y: number }[],
  colour: string,
  { at }: Projection,
): void {
  trail.forEach(({ x, y }, index) => {
    pen.dot(at(x, y), 2.5, colour, 0.08 + (0.5 * index) / trail.length);
  });
}

/** A skeleton with its heading, or a disc if the pose is not articulated. */
function drawPerson(pen: Pen, person: Person, skeleton: Scene['skeleton'], projection: Projection): void {
  const { position, position_error: error = 0, articulated = false, heading = null } = person;
  if (!position) return;
  const { at, scale } = projection;
  const colour = pen.colour(colourName(person.person_id));
  const centre = at(position.x, position.y);
  const ring = circle(position, error, projection);
  pen.area(ring, colour, articulated ? 0.1 : 0.25);
  pen.outline(ring, colour, { dash: [3, 5] });
  const joints = (person.keypoints ?? []).flatMap(({ position: place }) =>
    place ? [at(place.x, place.y, place.z)] : [],
  );
  if (articulated && joints.length > 0) {
    for (const [a, b] of skeleton) pen.line([joints[a]!, joints[b]!], colour, { width: 3 });
    pen.dot(joints[0]!, HEAD * scale, colour);
  } else pen.dot(centre, 5, colour);
  if (articulated && heading !== null) drawHeading(pen, { ...position, heading }, projection);
}

/** An arrow on the floor. */
function drawHeading(
  pen: Pen,
  { x, y, heading }: { readonly x: number; readonly y: number; readonly heading: number },
  { at }: Projection,
): void {
  const tip = (angle: number, length: number, from: readonly [number, number]) =>
    [from[0] + length * Math.cos(angle), from[1] + length * Math.sin(angle)] as const;
  const end = tip(heading, HEADING, [x, y]);
  const colour = pen.colour('--text');
  pen.line([at(x, y), at(...end)], colour, { width: 2 });
  const barbs = [-2.6, 2.6].map((angle) => at(...tip(heading + angle, 0.15, end)));
  pen.line([barbs[0]!, at(...end), barbs[1]!], colour, { width: 2 });
}

function drawAlarm(
  pen: Pen,
  place: { readonly x: number; readonly y: number },
  projection: Projection,
): void {
  for (const radius of [0.35, 0.55])
    pen.outline(circle(place, radius, projection), pen.colour('--alarm'), { width: 3 });
}

/** A circle on the floor, which appears as an ellipse at an oblique angle. */
const circle = (
  { x, y }: { readonly x: number; readonly y: number },
  radius: number,
  { at }: Projection,
): readonly Point[] =>
  Array.from({ length: 48 }, (_, index) => {
    const angle = (2 * Math.PI * index) / 48;
    return at(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  });
