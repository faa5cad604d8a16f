import type { Keypoint3D, Person } from '../../pipeline/model/index.js';
import { meanDistanceOf } from '../shared/floor-error.js';
import { lastingFacing, seenFacing, turned, type Facing } from './facing.js';
import { born, predict, update, type FloorState } from './floor-filter.js';
import { explain, measurement } from './floor-scene.js';
import { thousandths, type Followed, type Moment, type Standing, type Strategy } from './strategy.js';

export interface FloorSettings {
  readonly gateSigma: number;
  /** Metres per second, standard deviation along one axis. */
  readonly speed: number;
  /** Metres: a person with a larger error counts less as evidence. */
  readonly sureError: number;
  readonly minHits: number;
  readonly maxAgeMs: number;
  readonly minConfidence: number;
  /** Largest number of persons that the network distinguishes. */
  readonly maxPersons: number;
}

export interface FloorBody {
  readonly floor: FloorState;
  /** Evidence for the person, in pose frames. */
  readonly evidence: number;
  /** Milliseconds for which it may be out of sight from now on. */
  readonly credit: number;
  /** The reported error of the last seconds, metres. */
  readonly error: number;
  /** Where the person faced in the last pose frames. */
  readonly facing: Facing;
}

type Track = Followed<FloorBody>;

/** Tracks positions on the floor; each person carries its expected error. */
export class FloorStrategy implements Strategy<FloorBody> {
  readonly #settings: FloorSettings;

  constructor(settings: FloorSettings) {
    this.#settings = settings;
  }

  begin(person: Person): Standing<FloorBody> | null {
    const { minConfidence, speed } = this.#settings;
    if (person.confidence < minConfidence || !isPlace(person)) return null;
    const floor = born(measurement(person), speed);
    const evidence = this.#evidence(person);
    return {
      state: this.#isSure(evidence) ? 'active' : 'tentative',
      body: { floor, evidence, credit: 0, error: person.positionError, facing: seenFacing(person) },
    };
  }

  /** The network hardly ever misses walking people: a person out of sight has probably stopped, or left. */
  predict({ body, state, person }: Track, { elapsed }: Moment): FloorBody {
    const { speed } = this.#settings;
    const persistence = state === 'lost' ? PERSISTENCE.lost : PERSISTENCE.seen;
    // Tracks stored by 0.1.0 have no error, those by 0.5.0 do not say where the person faced.
    const { error = person.positionError, facing = seenFacing(person) } = body as Partial<FloorBody>;
    return { ...body, error, facing, floor: predict(body.floor, elapsed, { speed, persistence }) };
  }

  /** Confirmed tracks are matched first. */
  match(tracks: readonly Track[], persons: readonly Person[]): number[] {
    const matches = tracks.map(() => -1);
    const places = persons.flatMap((person, j) => (isPlace(person) ? [j] : []));
    for (const tentative of [false, true]) {
      const free = places.filter((j) => !matches.includes(j));
      const chosen = tracks.flatMap((track, i) => ((track.state === 'tentative') === tentative ? [i] : []));
      const found = explain(
        chosen.map((i) => tracks[i]!),
        free.map((j) => persons[j]!),
        this.#settings.gateSigma,
      );
      chosen.forEach((i, row) => {
        if (found[row]! >= 0) matches[i] = free[found[row]!]!;
      });
    }
    return matches;
  }

  see({ body, state, seen }: Track, person: Person, { time, elapsed }: Moment): Standing<FloorBody> {
    const { sureError, maxAgeMs } = this.#settings;
    const rate = person.positionError <= sureError ? CREDIT.sure : CREDIT.unsure;
    const evidence = body.evidence + this.#evidence(person);
    return {
      state: state === 'tentative' && !this.#isSure(evidence) ? 'tentative' : 'active',
      body: {
        floor: update(body.floor, measurement(person)),
        evidence,
        credit: Math.min(body.credit + 1000 * elapsed * rate, maxAgeMs),
        error: body.error + Math.min(1, elapsed / ERROR_SECONDS) * (person.positionError - body.error),
        facing: lastingFacing(body.facing, seenFacing(person), Math.max(0, time - seen) / 1e6),
      },
    };
  }

  /** Out of sight: a tentative track loses evidence; a confirmed one lives as long as its credit. */
  miss(track: Track, { elapsed }: Moment): Standing<FloorBody> | null {
    const { body, state, person } = track;
    if (state === 'tentative') {
      const evidence = body.evidence - 2 * this.#evidence(person);
      return evidence > 0 ? { state, body: { ...body, evidence } } : null;
    }
    const credit = body.credit - 1000 * elapsed;
    return { state: credit < -SLACK ? 'ended' : 'lost', body: { ...body, credit } };
  }

  /**
   * At the maximum number of tracks, a person who appears elsewhere is the one out of sight for longest, and
   * gets that number; if all are in sight, the new one is a ghost and stays tentative.
   */
  settle(tracks: readonly Track[]): readonly Track[] {
    const { minHits, maxPersons } = this.#settings;
    let all = [...tracks];
    for (const track of tracks) {
      const { state, body, person } = track;
      if (state !== 'active' || this.#isSure(body.evidence - this.#evidence(person))) continue;
      const others = all.filter((other) => other !== track && isKnown(other));
      if (others.length < maxPersons) continue;
      const [lost] = others.filter((other) => other.state === 'lost').sort((a, b) => a.seen - b.seen);
      const same: Track = lost
        ? { ...track, id: lost.id, since: lost.since, age: lost.age }
        : { ...track, state: 'tentative', body: { ...body, evidence: minHits - 1 } };
      all = all.filter((other) => other !== lost).map((other) => (other === track ? same : other));
    }
    return all;
  }

  show({ person: seenLast, body, id, state, age, since, seen }: Track, { time }: Moment): Person | null {
    if (state === 'tentative' && seen < time) return null;
    const { x, y } = body.floor;
    const person = turned(seenLast, body.facing, { x: x.speed, y: y.speed });
    const [dx, dy] = [x.place - person.position.x, y.place - person.position.y];
    const outOfSight = state === 'lost' || state === 'ended';
    const left = outOfSight
      ? Math.max(0, Math.min(1, body.credit / Math.max(1, this.#settings.maxAgeMs)))
      : 1;
    return {
      ...person,
      heading: person.heading === null ? null : thousandths(person.heading),
      headingConfidence: thousandths(person.headingConfidence),
      positionError: thousandths(toldError(body)),
      confidence: thousandths(person.confidence * left),
      position: { x: thousandths(x.place), y: thousandths(y.place), z: thousandths(person.position.z) },
      keypoints: person.keypoints.map((joint) => moved(joint, dx, dy)),
      articulated: person.articulated && !outOfSight,
      track: { id, state, age, since, velocity: { x: thousandths(x.speed), y: thousandths(y.speed) } },
    };
  }

  /** A person with a large error may be false: confirmation takes more pose frames. */
  #evidence({ positionError }: Person): number {
    const { sureError } = this.#settings;
    return Math.min(1, Math.max(MIN_EVIDENCE, 2.5 - (2 * positionError) / sureError));
  }

  #isSure(evidence: number): boolean {
    return evidence >= this.#settings.minHits - SLACK;
  }
}

/** The network's error, plus the filter's uncertainty after losing sight. */
const toldError = ({ floor, error }: FloorBody): number => Math.hypot(error, meanDistanceOf(floor.cov.pp));
/** The error reported for one pose frame is a guess; it changes slowly. */
const ERROR_SECONDS = 3;

/** Seconds for which a walker's velocity persists. */
const PERSISTENCE = { seen: 2.5, lost: 0.5 };
/** Extension of the permitted time out of sight per pose frame, relative to its length. */
const CREDIT = { sure: 3, unsure: 1.2 };
const MIN_EVIDENCE = 0.1;
/** Tolerance for rounding in sums of evidence and time. */
const SLACK = 1e-6;

const isPlace = ({ position: { x, y }, positionError }: Person): boolean =>
  Number.isFinite(x + y + positionError);

const isKnown = ({ state }: Track): boolean => state === 'active' || state === 'lost';

const moved = (joint: Keypoint3D, dx: number, dy: number): Keypoint3D => ({
  ...joint,
  x: thousandths(joint.x + dx),
  y: thousandths(joint.y + dy),
  z: thousandths(joint.z),
});
