import type { PersonRow } from '../../../pipeline/component/index.js';
import { isMoving } from '../../service/queries/analytics/pose-frame-figures.js';

export interface TrackPoint {
  /** Microseconds. */
  readonly time: number;
  /** Metres on the floor. */
  readonly x: number;
  readonly y: number;
  readonly confidence: number;
}

/**
 * Largest number of points in a trajectory. Above it, every second one is dropped, and so on: it stays even
 * in time.
 */
const POINTS = 10_000;

/** Sums up a track row by row, in bounded memory. */
export class TrackSummary {
  poseFrames = 0;
  first = NaN;
  last = NaN;
  /** Metres, while moving. */
  distance = 0;
  movingSeconds = 0;
  #confidence = 0;
  #points: TrackPoint[] = [];
  #every = 1;
  #before: TrackPoint | undefined;

  /** Adds the next row in time. */
  add({ time, person }: PersonRow): void {
    const { position, confidence } = person;
    const point = { time, x: position.x, y: position.y, confidence };
    if (this.poseFrames === 0) this.first = time;
    this.last = time;
    this.#confidence += confidence;
    if (isMoving(person)) this.#addStep(point);
    if (this.poseFrames % this.#every === 0) this.#addPoint(point);
    this.poseFrames++;
    this.#before = point;
  }

  get seconds(): number {
    return (this.last - this.first) / 1e6;
  }

  /** Mean. */
  get confidence(): number {
    return this.#confidence / this.poseFrames;
  }

  get trajectory(): readonly TrackPoint[] {
    return this.#points;
  }

  #addStep(point: TrackPoint): void {
    if (!this.#before) return;
    this.distance += Math.hypot(point.x - this.#before.x, point.y - this.#before.y);
    this.movingSeconds += (point.time - this.#before.time) / 1e6;
  }

  #addPoint(point: TrackPoint): void {
    this.#points.push(point);
    if (this.#points.length < POINTS) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }
}
