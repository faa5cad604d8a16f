import {
  SKELETON,
  type Environment,
  type Person,
  type Point,
  type PoseFrame,
  type SensedEvent,
} from '../../pipeline/model/index.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { cameraOf, type Camera } from './picture/view.js';
import { pixel, line, circle, stroke } from './clip-lines.js';
import { escapeHtml } from '../../pipeline/base/escape-html.js';

/** Time around its event that a clip shows, microseconds of event time. */
export const CLIP = { before: 6_000_000, after: 6_000_000 } as const;

/** Largest clip, bytes: with many pose frames it drops every second one, then three of four, and so on. */
const MAX_CLIP_BYTES = 200_000;
/** The event's person first, then those seen longest. */
const MAX_PERSONS = 8;
/** A person is drawn until the next pose frame, but at most this long, microseconds. */
const HOLD = 1_000_000;
const SECONDS = (CLIP.before + CLIP.after) / 1e6;
const COLOURS = {
  room: '#4d6c80',
  zone: '#3d6a86',
  event: '#f2c14e',
  other: '#7fd1c7',
  mark: '#ff6b6b',
  ground: '#0d1b26',
};
/** From line to line of the captions, in heights of a letter. */
const LINE_SPACING = 1.4;
/** A path that draws nothing. */
const NOTHING = 'M0 0';

/**
 * The moving skeleton around an event, as animated SVG (SMIL) without script: persons as the environment's
 * view sees them, as bones if they are articulated, otherwise as a disc whose size is the uncertainty of the
 * position. The same event and pose frames yield the same text.
 * @param poseFrames of {@link CLIP} around the event, oldest first
 */
export function renderClip(
  event: SensedEvent,
  poseFrames: readonly PoseFrame[],
  environment: Environment,
): string {
  for (let stride = 1; ; stride *= 2) {
    const drawn = poseFrames.filter((_, index) => index % stride === 0);
    const text = draw(event, drawn, environment);
    if (Buffer.byteLength(text) <= MAX_CLIP_BYTES || drawn.length <= 1) return text;
  }
}

function draw(event: SensedEvent, poseFrames: readonly PoseFrame[], environment: Environment): string {
  const camera = cameraOf(environment);
  const { width, height } = camera;
  const names = personsOf(poseFrames, event);
  const shown = names.slice(0, MAX_PERSONS);
  const title = `${words(event.type)}, ${event.severity}`;
  const said = notes(event, poseFrames, environment);
  const hidden = names.length - shown.length;
  const lines = hidden > 0 ? [...said, `${hidden} more people are not drawn`] : said;
  const band = Math.round(letterSize(camera) * (1 + LINE_SPACING * lines.length));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-band} ${width} ${height + band}" role="img" font-family="sans-serif">`,
    `<title>${escape(title)}</title>`,
    `<desc>${escape(said.join('. '))}</desc>`,
    `<rect y="${-band}" width="${width}" height="${height + band}" fill="${COLOURS.ground}"/>`,
    ...room(environment, camera),
    ...drawLocation(event, camera),
    ...shown.map((name) => person(name, event, poseFrames, camera)),
    ...captions(event, lines, camera, band),
    ...timeline(camera),
    '</svg>',
    '',
  ].join('\n');
}

// ---------------------------------------------------------------- persons

const nameOf = ({ track }: Person, index: number): string => (track ? String(track.id) : `nameless ${index}`);

const find = (poseFrame: PoseFrame, name: string): Person | undefined =>
  poseFrame.persons.find((one, index) => nameOf(one, index) === name);

function personsOf(poseFrames: readonly PoseFrame[], event: SensedEvent): readonly string[] {
  const seen = new Map<string, number>();
  for (const { persons } of poseFrames)
    persons.forEach((one, index) => seen.set(nameOf(one, index), (seen.get(nameOf(one, index)) ?? 0) + 1));
  const subject = String(event.person);
  return [...seen.keys()].sort(
    (a, b) =>
      Number(b === subject) - Number(a === subject) || seen.get(b)! - seen.get(a)! || (a < b ? -1 : 1),
  );
}

/** Two paths drawn in turn: the bones, and the disc of a person without bones. */
function person(name: string, event: SensedEvent, poseFrames: readonly PoseFrame[], camera: Camera): string {
  const colour = name === String(event.person) ? COLOURS.event : COLOURS.other;
  const width = stroke(camera, 2);
  return [
    track(
      poseFrames,
      name,
      event,
      (one) => bones(one, camera),
      `fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round"`,
    ),
    track(
      poseFrames,
      name,
      event,
      (one) => disc(one, camera),
      `fill="${colour}" fill-opacity="0.25" stroke="${colour}"`,
    ),
  ].join('\n');
}

function track(
  poseFrames: readonly PoseFrame[],
  name: string,
  event: SensedEvent,
  path: (person: Person) => string,
  look: string,
): string {
  const steps: Step[] = [{ at: 0, value: NOTHING }];
  poseFrames.forEach((poseFrame, index) => {
    const found = find(poseFrame, name);
    steps.push({ at: share(poseFrame.time, event), value: found ? path(found) : NOTHING });
    const next = poseFrames[index + 1]?.time ?? Infinity;
    if (next - poseFrame.time > HOLD) steps.push({ at: share(poseFrame.time + HOLD, event), value: NOTHING });
  });
  const changes = steps.filter(({ value }, index) => value !== steps[index - 1]?.value);
  return changes.length === 1 ? '' : `<path ${look}>${animate('d', changes)}</path>`;
}

/** Empty if the position is too uncertain for a skeleton, or none was stored. */
function bones({ articulated, keypoints }: Person, camera: Camera): string {
  if (!articulated || keypoints.length === 0) return NOTHING;
  const pixels = keypoints.map((keypoint) => camera.project(keypoint));
  const lines = SKELETON.flatMap(([from, to]) => {
    const [start, end] = [pixels[from], pixels[to]];
    return start && end ? [`M${pixel(start)}L${pixel(end)}`] : [];
  });
  return lines.join('') || NOTHING;
}

const disc = (one: Person, camera: Camera): string =>
  one.articulated && one.keypoints.length > 0
    ? NOTHING
    : line(circle(one.position, Math.max(one.positionError, 0.15)), camera, 1) || NOTHING;

// ---------------------------------------------------------------- static parts

function room({ size, walls, zones }: Environment, camera: Camera): readonly string[] {
  const at = (x: number, y: number, z: number): Point => ({ x, y, z });
  const corners: readonly (readonly [number, number])[] = [
    [0, 0],
    [size.x, 0],
    [size.x, size.y],
    [0, size.y],
  ];
  const edges = corners.flatMap(([x, y], index) => {
    const [nextX, nextY] = corners[(index + 1) % 4]!;
    return [0, size.z]
      .map((z) => [at(x, y, z), at(nextX, nextY, z)])
      .concat([[at(x, y, 0), at(x, y, size.z)]]);
  });
  const inner = walls.map(({ from, to }) => [at(from[0]!, from[1]!, 0), at(to[0]!, to[1]!, 0)]);
  const outlines = zones.map(({ polygon }) => polygon.concat([polygon[0]!]).map(([x, y]) => at(x!, y!, 0)));
  const path = (lines: readonly (readonly Point[])[]) => lines.map((points) => line(points, camera)).join('');
  return [
    `<path fill="none" stroke="${COLOURS.zone}" stroke-dasharray="6 6" d="${path(outlines) || NOTHING}"/>`,
    `<path fill="none" stroke="${COLOURS.room}" stroke-width="${stroke(camera, 1)}" d="${path([...edges, ...inner]) || NOTHING}"/>`,
  ];
}

/** A ring on the floor at the place of the event, from that moment on. */
function drawLocation({ location }: SensedEvent, camera: Camera): readonly string[] {
  if (!location) return [];
  const ring = line(circle(location, 0.5), camera, 1);
  if (ring === '') return [];
  return [
    `<path fill="none" stroke="${COLOURS.mark}" stroke-width="${stroke(camera, 2)}" opacity="0" d="${ring}">${fromTheMoment()}</path>`,
  ];
}

/** Lines of text in a band above the view, where no wall crosses them, and the event's name at the bottom. */
function captions(
  event: SensedEvent,
  lines: readonly string[],
  camera: Camera,
  band: number,
): readonly string[] {
  const { width, height } = camera;
  const size = letterSize(camera);
  const text = (x: number, y: number, look: string, content: string, inner = '') =>
    `<text x="${x}" y="${y}" font-size="${size}" ${look}>${escape(content)}${inner}</text>`;
  const lineAt = (index: number) => Math.round(size * LINE_SPACING * (index + 1)) - band;
  return [
    `<rect y="${-band}" width="${width}" height="${band}" fill="${COLOURS.ground}"/>`,
    ...lines.map((one, index) => text(size, lineAt(index), 'fill="#c9d9e5"', one)),
    text(width - size, lineAt(0), 'fill="#f2c14e" font-weight="bold" text-anchor="end"', originOf(event)),
    text(
      width / 2,
      height - size * 2,
      `fill="${COLOURS.mark}" font-weight="bold" text-anchor="middle" opacity="0"`,
      words(event.type),
      fromTheMoment(),
    ),
  ];
}

/** Pixels. */
const letterSize = ({ height }: Camera): number => Math.round(height / 30);

/** A time bar with the event's moment. */
function timeline({ width, height }: Camera): readonly string[] {
  const thick = Math.max(2, Math.round(height / 90));
  const y = height - 2 * thick;
  const moment = Math.round((width * CLIP.before) / (CLIP.before + CLIP.after));
  return [
    `<rect y="${y}" width="${width}" height="${thick}" fill="#1b3447"/>`,
    `<rect x="${moment}" y="${y - thick}" width="${thick}" height="${3 * thick}" fill="${COLOURS.mark}"/>`,
    `<rect y="${y}" width="0" height="${thick}" fill="${COLOURS.other}"><animate attributeName="width" from="0" to="${width}" dur="${SECONDS}s" repeatCount="indefinite"/></rect>`,
  ];
}

function notes(
  event: SensedEvent,
  poseFrames: readonly PoseFrame[],
  { id, name }: Environment,
): readonly string[] {
  const model = (poseFrames[0] ?? event).provenance.model;
  return [
    `${words(event.type)} (${event.severity}), ${isoTime(event.time).replace('T', ' ').replace('Z', ' UTC')}`,
    `${name ?? id}, confidence ${Math.round(event.confidence * 100)} %`,
    ...(model ? [`Poses by ${model.name} ${model.version}, trained on ${model.trainedOn}`] : []),
  ];
}

/** Stated in every clip, so that nobody mistakes a simulated fall for a real one. */
const originOf = ({ provenance }: SensedEvent): string => provenance.origin.toUpperCase();

// ---------------------------------------------------------------- SMIL

interface Step {
  /** 0 to 1 of the clip. */
  readonly at: number;
  readonly value: string;
}

/** Each value lasts until the next one: poses are shown as inferred, without interpolation. */
const animate = (attribute: string, steps: readonly Step[]): string =>
  `<animate attributeName="${attribute}" calcMode="discrete" dur="${SECONDS}s" repeatCount="indefinite" ` +
  `keyTimes="${steps.map(({ at }) => at).join(';')}" values="${steps.map(({ value }) => value).join(';')}"/>`;

const fromTheMoment = (): string =>
  animate('opacity', [
    { at: 0, value: '0' },
    { at: CLIP.before / (CLIP.before + CLIP.after), value: '1' },
  ]);

const share = (time: number, event: SensedEvent): number => {
  const from = (time - event.time + CLIP.before) / (CLIP.before + CLIP.after);
  return Math.round(Math.min(Math.max(from, 0), 1) * 10_000) / 10_000;
};

const words = (type: string): string => type.replaceAll('_', ' ');

/** XML 1.0 text: names come from configuration files. */
const escape = (text: string): string => escapeHtml(text.replaceAll(/[^\t\n\x20-\ud7ff\ue000-\ufffd]/g, ''));
