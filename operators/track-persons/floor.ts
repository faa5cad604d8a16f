import type { Keypoint3D, Person } from '../../pipeline/model/index.js';
import { meanDistanceOf, sigmaOf } from '../shared/floor-error.js';
import { born, predict, rest, update, updateMean } from './floor-filter.js';
import { FloorScene, measurement, middle, type Walker } from './floor-scene.js';
import { explain } from './groups.js';
import { calmOf, settled, startGait, walkedTo } from './rest.js';
import { thousandths, type Followed, type Moment, type Standing, type Strategy } from './strategy.js';

export interface FloorSettings {
  readonly gateSigma: number;
  /** Metres a second, standard deviation along one axis. */
  readonly speed: number;
  /** Seconds for which a walker's errors stay alike. */
  readonly memory: number;
  readonly mergeMetres: number;
  readonly stillError: number;
  readonly minHits: number;
  readonly maxAgeMs: number;
  readonly minConfidence: number;
  /** As many as the network in front can tell apart. */
  readonly maxPersons: number;
}

export interface FloorBody extends Walker {
  /** Frames' worth of evidence that it is somebody. */
  readonly evidence: number;
  /** Milliseconds that it may be out of sight from now on. */
  readonly credit: number;
  /** Mean square distance of the places told from where it is taken to be, of the last seconds. */
  readonly apart: number;
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
    const floor = born(measurement(person, false), speed);
    const evidence = this.#evidence(person);
    return {
      state: this.#isSure(evidence) ? 'active' : 'tentative',
      body: { floor, evidence, credit: 0, apart: 0, ...startGait(floor) },
    };
  }

  /** Walkers are hardly ever missed: who is out of sight has probably stopped, or left. */
  predict({ body, state }: Track, { elapsed }: Moment): FloorBody {
    const { speed, memory } = this.#settings;
    const persistence = state === 'lost' ? PERSISTENCE.lost : PERSISTENCE.seen;
    const floor = body.rests
      ? rest(body.floor, elapsed, REST_MEMORY)
      : predict(body.floor, elapsed, { speed, memory, persistence });
    return { ...body, floor };
  }

  /** Tracks that are known for sure choose first. */
  match(tracks: readonly Track[], persons: readonly Person[]): number[] {
    const { gateSigma, mergeMetres } = this.#settings;
    const matches = tracks.map(() => -1);
    const places = persons.flatMap((person, j) => (isPlace(person) ? [j] : []));
    for (const tentative of [false, true]) {
      const free = places.filter((j) => !matches.includes(j));
      const chosen = tracks.flatMap((track, i) => ((track.state === 'tentative') === tentative ? [i] : []));
      const found = explain(
        new FloorScene(
          chosen.map((i) => tracks[i]!),
          free.map((j) => persons[j]!),
          { gateSigma, mergeMetres: tentative ? 0 : mergeMetres },
        ),
      );
      chosen.forEach((i, row) => {
        if (found[row]! >= 0) matches[i] = free[found[row]!]!;
      });
    }
    return matches;
  }

  see(track: Track, person: Person, { elapsed }: Moment, group: readonly Track[]): Standing<FloorBody> {
    const { stillError, speed, maxAgeMs } = this.#settings;
    const { body } = track;
    const alone = group.length === 1;
    const gait = settled(body, body.floor, alone ? calmOf(body, person, stillError) : body.calm, speed);
    const told = measurement(person, gait.rests);
    const floor = alone
      ? update(gait.floor, told)
      : updateMean(gait.floor, told, middle(group), group.length);
    const rate = alone ? (person.positionError <= stillError ? CREDIT.sure : CREDIT.unsure) : CREDIT.merged;
    const credit = body.credit + 1000 * elapsed * rate;
    const evidence = body.evidence + this.#evidence(person);
    const apart = (told.x - floor.x.place) ** 2 + (told.y - floor.y.place) ** 2;
    const tentative = track.state === 'tentative' && !this.#isSure(evidence);
    return {
      state: credit < -SLACK ? 'ended' : tentative ? 'tentative' : 'active',
      body: {
        ...gait,
        ...{ floor, evidence },
        walked: walkedTo(gait, floor),
        credit: Math.min(credit, maxAgeMs),
        apart: body.apart + Math.min(1, elapsed / APART_SECONDS) * (apart - body.apart),
      },
    };
  }

  /** Out of sight: what a tentative track has for itself is used up, another is kept for as long as its credit. */
  miss(track: Track, { elapsed }: Moment): Standing<FloorBody> | null {
    const { body, state, person } = track;
    if (state === 'tentative') {
      const evidence = body.evidence - 2 * this.#evidence(person);
      return evidence > 0 ? { state, body: { ...body, evidence } } : null;
    }
    const credit = body.credit - 1000 * elapsed;
    return {
      state: credit < -SLACK ? 'ended' : 'lost',
      body: { ...body, credit, calm: calmOf(body, null, this.#settings.stillError) },
    };
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
      positionError: thousandths(toldError(body, person)),
      confidence: thousandths(person.confidence * left),
      position: { x: thousandths(x.place), y: thousandths(y.place), z: thousandths(person.position.z) },
      keypoints: person.keypoints.map((joint) => moved(joint, dx, dy)),
      articulated: person.articulated && !outOfSight,
      track: { id, state, age, since, velocity: { x: thousandths(x.speed), y: thousandths(y.speed) } },
    };
  }

  /** Who is told with a large error may be nobody: it takes more frames to be sure. */
  #evidence({ positionError }: Person): number {
    const { stillError } = this.#settings;
    return Math.min(1, Math.max(LEAST_EVIDENCE, 2.5 - (2 * positionError) / stillError));
  }

  #isSure(evidence: number): boolean {
    return evidence >= this.#settings.minHits - SLACK;
  }
}

/** The filter's error, and more where the places told lie further away than their errors explain. */
function toldError({ floor, apart }: FloorBody, { positionError }: Person): number {
  const unexplained = Math.max(0, apart - 2 * sigmaOf(positionError) ** 2);
  return Math.hypot(meanDistanceOf(floor.cov.pp), UNEXPLAINED * Math.sqrt(unexplained));
}
const UNEXPLAINED = 0.5;
const APART_SECONDS = 5;

/** Seconds for which a walker keeps a velocity, and for which errors of somebody who rests stay alike. */
const PERSISTENCE = { seen: 2.5, lost: 0.5 };
const REST_MEMORY = 60;
/** By how much a frame prolongs what a track may be out of sight, over the frame's own length. */
const CREDIT = { sure: 3, unsure: 1.2, merged: -0.5 };
const LEAST_EVIDENCE = 0.1;
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
