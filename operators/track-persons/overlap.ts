import type { Person } from '../../pipeline/model/index.js';
import { beginBox, predictBox, shapeOf, updateBox, type BoxState } from './box-filter.js';
import { fitted, iou, measured, outlineFrom, outlineOf } from './outline.js';
import {
  pair,
  REFUSED,
  thousandths,
  type Followed,
  type Moment,
  type Standing,
  type Strategy,
} from './strategy.js';

export interface OverlapSettings {
  readonly minHits: number;
  readonly maxAgeMs: number;
  readonly minOverlap: number;
}

export interface OverlapBody {
  readonly box: BoxState;
  /** Consecutive pose frames in which it was seen again. */
  readonly streak: number;
}

/**
 * SORT (Bewley et al., Simple online and realtime tracking, 2016): a constant-velocity filter predicts
 * outlines from one pose frame to the next, and they are paired by overlap. A track is active once it was seen again in
 * `min_hits` consecutive pose frames, and again after each missed one; in the very first ones, immediately.
 */
export class OverlapStrategy implements Strategy<OverlapBody> {
  readonly #settings: OverlapSettings;

  constructor(settings: OverlapSettings) {
    this.#settings = settings;
  }

  begin(person: Person, { poseFrame }: Moment): Standing<OverlapBody> | null {
    const shape = measured(outlineOf(person));
    if (!Object.values(shape).every(Number.isFinite)) return null;
    const body = { box: beginBox(shape), streak: 0 };
    return { body, state: this.#isSure(body, poseFrame) ? 'active' : 'tentative' };
  }

  predict({ body }: Followed<OverlapBody>): OverlapBody {
    return { ...body, box: predictBox(body.box) };
  }

  match(tracks: readonly Followed<OverlapBody>[], persons: readonly Person[]): number[] {
    const expected = tracks.map(({ body }) => outlineFrom(shapeOf(body.box)));
    const seen = persons.map(outlineOf);
    // All pairs compete, including those without enough overlap, as published.
    const pairs = pair(expected, seen, (a, b) => {
      const overlap = iou(a, b);
      return Number.isFinite(overlap) ? -overlap : REFUSED;
    });
    return pairs.map((j, i) => (j >= 0 && iou(expected[i]!, seen[j]!) >= this.#settings.minOverlap ? j : -1));
  }

  see({ body }: Followed<OverlapBody>, person: Person, { poseFrame }: Moment): Standing<OverlapBody> {
    const next = { box: updateBox(body.box, measured(outlineOf(person))), streak: body.streak + 1 };
    return { body: next, state: this.#isSure(next, poseFrame) ? 'active' : 'tentative' };
  }

  miss({ body, seen }: Followed<OverlapBody>, { time }: Moment): Standing<OverlapBody> {
    const ended = (time - seen) / 1000 > this.#settings.maxAgeMs;
    return { body: { ...body, streak: 0 }, state: ended ? 'ended' : 'lost' };
  }

  settle(tracks: readonly Followed<OverlapBody>[]): readonly Followed<OverlapBody>[] {
    return tracks;
  }

  show(track: Followed<OverlapBody>, { elapsed }: Moment): Person {
    const { person, body, id, age, since, state } = track;
    const speed = (centimetres: number): number =>
      elapsed > 0 ? thousandths(centimetres / 100 / elapsed) : 0;
    return {
      ...person,
      ...fitted(person, outlineOf(person), outlineFrom(shapeOf(body.box))),
      articulated: person.articulated && state !== 'lost' && state !== 'ended',
      track: { id, state, age, since, velocity: { x: speed(body.box.x.speed), y: speed(body.box.y.speed) } },
    };
  }

  #isSure({ streak }: OverlapBody, poseFrame: number): boolean {
    return streak >= this.#settings.minHits || poseFrame <= this.#settings.minHits;
  }
}
