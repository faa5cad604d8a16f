import type { Aggregate } from '../../../../pipeline/component/index.js';
import {
  FUNNEL_STAGES,
  type Environment,
  type Person,
  type PoseFrame,
} from '../../../../pipeline/model/index.js';
import { isUndecided, sureness } from '../../../../operators/shared/sureness.js';
import { heightOf, isInZone } from '../../../../operators/shared/zones.js';
import type { Range } from './periods.js';
import { WITH_PERSONS } from './rollups.js';

/** Lower confidences are not in sight: the default of `watch-zones`. */
const MIN_CONFIDENCE = 0.2;
/**
 * A pose frame is valid until the next one, at most this long, microseconds; from this speed a person is moving,
 * metres per second.
 */
const [MAX_GAP_US, MOVING] = [5_000_000, 0.2];

/** Measures of `watch-zones` that pose frames give, too. */
export const FROM_POSE_FRAMES: ReadonlySet<string> = new Set([
  'frames',
  'detections',
  'detection_confidence',
  'occupancy_confidence',
  'occupancy_peak',
  'presence_seconds',
  ...WITH_PERSONS,
  'person_seconds',
  'moving_seconds',
  'zone_seconds',
  'funnel_stage',
  'bed_seconds',
  'bed_moving_seconds',
  'sleep_seconds',
]);

/** Figures of the pose frames in part of a minute, in the form of the measures of `watch-zones`. */
export function poseFrameFigures(
  environment: Environment,
  { start, end }: Range,
  poseFrames: readonly PoseFrame[],
): readonly Aggregate[] {
  const figures = new Figures(start);
  poseFrames.forEach((poseFrame, index) => {
    const until = Math.min(poseFrames[index + 1]?.time ?? end, end, poseFrame.time + MAX_GAP_US);
    addPoseFrame(figures, environment, poseFrame, (until - poseFrame.time) / 1e6);
  });
  return figures.rows;
}

/** One row for each name and subject. */
class Figures {
  readonly #start: number;
  readonly #rows = new Map<string, Aggregate>();
  readonly #means = new Map<string, { readonly sum: number; readonly count: number }>();
  /** Tracks that were in sight. */
  readonly seen = new Set<number>();

  constructor(start: number) {
    this.#start = start;
  }

  get rows(): readonly Aggregate[] {
    return [...this.#rows.values()];
  }

  /** Adds to a sum. */
  add(name: string, value: number, subject: string | null = null): void {
    this.#put(name, subject, (this.#of(name, subject)?.sum ?? 0) + value);
  }

  /** Replaces a smaller value. */
  peak(name: string, value: number, subject: string | null = null): void {
    this.#put(name, subject, Math.max(this.#of(name, subject)?.max ?? 0, value));
  }

  /** A weighted mean: the weight is that of the piece, as for a whole minute. */
  mean(name: string, sum: number, count: number): void {
    const known = this.#means.get(name) ?? { sum: 0, count: 0 };
    const [all, times] = [known.sum + sum, known.count + count];
    this.#means.set(name, { sum: all, count: times });
    if (times > 0) this.#put(name, null, all / times);
  }

  #of = (name: string, subject: string | null) => this.#rows.get(`${name} ${subject ?? ''}`);

  #put(name: string, subject: string | null, value: number): void {
    const row = { name, subject, start: this.#start, count: 1, sum: value, min: value, max: value };
    this.#rows.set(`${name} ${subject ?? ''}`, row);
  }
}

/** @param seconds for which the pose frame is valid */
function addPoseFrame(
  figures: Figures,
  environment: Environment,
  poseFrame: PoseFrame,
  seconds: number,
): void {
  const seen = poseFrame.persons.filter(isInSight);
  const confidence = seen.reduce((sum, person) => sum + person.confidence, 0);
  figures.add('frames', 1);
  figures.add('detections', seen.length);
  figures.mean('detection_confidence', confidence, seen.length);
  for (const { track } of seen) figures.seen.add(track!.id);
  const persons = poseFrame.persons.filter((person) => isInSight(person) || isHeld(person, figures.seen));
  if (persons.length === 0 && isUndecided(poseFrame)) return;
  const sure = sureness(persons, poseFrame.persons, poseFrame);
  figures.mean('occupancy_confidence', sure * seconds, seconds);
  figures.peak('occupancy_peak', persons.length);
  figures.add('presence_seconds', persons.length * seconds);
  figures.add(WITH_PERSONS[Math.min(4, persons.length)]!, seconds);
  for (const person of persons) addPerson(figures, person, seconds);
  for (const zone of environment.zones) {
    const inside = persons.filter((person) => isInZone(zone, person.position, heightOf(person)));
    figures.add('zone_seconds', inside.length * seconds, zone.id);
    figures.peak('occupancy_peak', inside.length, zone.id);
    for (const person of inside) addStay(figures, person, zone, seconds);
  }
}

function addPerson(figures: Figures, person: Person, seconds: number): void {
  const id = String(person.track!.id);
  figures.add('person_seconds', seconds, id);
  if (isMoving(person)) figures.add('moving_seconds', seconds, id);
}

function addStay(
  figures: Figures,
  person: Person,
  { kind, funnel }: Environment['zones'][number],
  seconds: number,
): void {
  if (funnel) figures.peak('funnel_stage', FUNNEL_STAGES.indexOf(funnel) + 1, String(person.track!.id));
  if (kind !== 'bed') return;
  figures.add('bed_seconds', seconds);
  if (isMoving(person)) figures.add('bed_moving_seconds', seconds);
  else if (person.posture === 'lying') figures.add('sleep_seconds', seconds);
}

/** A lost person counts as present for as long as the tracker retains them: they may just keep still. */
const isHeld = ({ track, confidence }: Person, seen: ReadonlySet<number>): boolean =>
  track?.state === 'lost' && (confidence >= MIN_CONFIDENCE || seen.has(track.id));

const isInSight = ({ track, confidence }: Person): boolean =>
  track?.state === 'active' && confidence >= MIN_CONFIDENCE;

/**
 * Whether a tracked person is seen to move, by the speed of the track: positions of people who keep still differ by
 * centimetres from frame to frame.
 */
export const isMoving = ({ track }: Person): boolean =>
  track!.state === 'active' && Math.hypot(track!.velocity.x, track!.velocity.y) >= MOVING;
