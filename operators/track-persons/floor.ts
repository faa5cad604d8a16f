import type { Keypoint3D, Person } from '../../pipeline/model/index.js';
import { meanDistanceOf } from '../shared/floor-error.js';
import { born, predict, update, type FloorState } from './floor-filter.js';
import { explain, measurement } from './floor-scene.js';
import { thousandths, type Followed, type Moment, type Standing, type Strategy } from './strategy.js';

export interface FloorSettings {
  readonly gateSigma: number;
  /** Metres a second, standard deviation along one axis. */
  readonly speed: number;
  /** Metres: a person told with a larger error counts less as evidence. */
  readonly sureError: number;
  readonly minHits: number;
  readonly maxAgeMs: number;
  readonly minConfidence: number;
  /** As many as the network in front can tell apart. */
  readonly maxPersons: number;
}

export interface FloorBody {
  readonly floor: FloorState;
  /** Frames' worth of evidence that it is somebody. */
  readonly evidence: number;
  /** Milliseconds that it may be out of sight from now on. */
  readonly credit: number;
  /** The error told of the last seconds, metres. */
  readonly error: number;
}

type Track = Followed<FloorBody>;

/** Follows places on the floor; how wrong each is, the person says. */
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
      body: { floor, evidence, credit: 0, error: person.positionError },
    };
  }

  /** Walkers are hardly ever missed: who is out of sight has probably stopped, or left. */
  predict({ body, state, person }: Track, { elapsed }: Moment): FloorBody {
    const { speed } = this.#settings;
    const persistence = state === 'lost' ? PERSISTENCE.lost : PERSISTENCE.seen;
    // Tracks that 0.1.0 has stored have no error of their own.
    const error = (body as Partial<FloorBody>).error ?? person.positionError;
    return { ...body, error, floor: predict(body.floor, elapsed, { speed, persistence }) };
  }

  /** Tracks that are known for sure choose first. */
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

  see({ body, state }: Track, person: Person, { elapsed }: Moment): Standing<FloorBody> {
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
      },
    };
  }

  /** Out of sight: what a tentative track has for itself is used up, another lives for as long as its credit. */
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
   * Where as many are known as there can be, who turns up elsewhere is the one who has been out of sight
   * for longest, and keeps that number; where all are in sight, it is a ghost and stays tentative.
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

  show({ person, body, id, state, age, since, seen }: Track, { time }: Moment): Person | null {
    if (state === 'tentative' && seen < time) return null;
    const { x, y } = body.floor;
    const [dx, dy] = [x.place - person.position.x, y.place - person.position.y];
    const outOfSight = state === 'lost' || state === 'ended';
    const left = outOfSight
      ? Math.max(0, Math.min(1, body.credit / Math.max(1, this.#settings.maxAgeMs)))
      : 1;
    return {
      ...person,
      positionError: thousandths(toldError(body)),
      confidence: thousandths(person.confidence * left),
      position: { x: thousandths(x.place), y: thousandths(y.place), z: thousandths(person.position.z) },
      keypoints: person.keypoints.map((joint) => moved(joint, dx, dy)),
      articulated: person.articulated && !outOfSight,
      track: { id, state, age, since, velocity: { x: thousandths(x.speed), y: thousandths(y.speed) } },
    };
  }

  /** Who is told with a large error may be nobody: it takes more frames to be sure. */
  #evidence({ positionError }: Person): number {
    const { sureError } = this.#settings;
    return Math.min(1, Math.max(MIN_EVIDENCE, 2.5 - (2 * positionError) / sureError));
  }

  #isSure(evidence: number): boolean {
    return evidence >= this.#settings.minHits - SLACK;
  }
}

/** What the network tells, and what the filter has lost sight of. */
const toldError = ({ floor, error }: FloorBody): number => Math.hypot(error, meanDistanceOf(floor.cov.pp));
/** The error that a network tells of one frame is a guess; it changes slowly. */
const ERROR_SECONDS = 3;

/** Seconds for which a walker keeps a velocity. */
const PERSISTENCE = { seen: 2.5, lost: 0.5 };
/** By how much a frame prolongs what a track may be out of sight, over the frame's own length. */
const CREDIT = { sure: 3, unsure: 1.2 };
const MIN_EVIDENCE = 0.1;
/** Sums of evidence and time are off by rounding. */
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
