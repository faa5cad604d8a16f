import { assign } from '../../operators/track-persons/assignment.js';
import { iou, type Box, type Sequence } from './tracking.js';

const MIN_OVERLAP = 0.3;
const MIN_HITS = 3;
const MAX_AGE = 1;

/**
 * SORT (Bewley et al., ICIP 2016), as a reference tracker for the metrics: boxes by a Kalman filter of
 * constant velocity over centre, area and shape, paired by overlap.
 */
export function sortTracks(detections: Sequence): Sequence {
  let tracks: SortTrack[] = [];
  let next = 1;
  return detections.map((boxes, frame) => {
    const expected = tracks.map((track) => track.predict());
    const overlaps = boxes.map((box) => expected.map((other) => iou(box, other)));
    const columns = assign(overlaps.map((row) => row.map((overlap) => -overlap)));
    boxes.forEach((box, row) => {
      const column = columns[row]!;
      if (column >= 0 && overlaps[row]![column]! >= MIN_OVERLAP) tracks[column]!.update(box);
      else tracks.push(new SortTrack(box, next++));
    });
    tracks = tracks.filter(({ unseen }) => unseen <= MAX_AGE);
    const sure = ({ streak }: SortTrack) => streak >= MIN_HITS || frame < MIN_HITS;
    return tracks.filter((track) => track.unseen < 1 && sure(track)).map((track) => track.box);
  });
}

/**
 * SORT's filter has seven states, but its noise is independent along each of them: so it is three filters of a
 * value and its velocity, and one of a value.
 */
class SortTrack {
  readonly id: number;
  readonly #x: Axis;
  readonly #y: Axis;
  readonly #area: Axis;
  readonly #shape: Axis;
  /** Frames since it was last seen. */
  unseen = 0;
  /** Frames in a row in which it was seen. */
  streak = 0;

  constructor(box: Box, id: number) {
    const [x, y, area, shape] = measured(box);
    this.id = id;
    this.#x = new Axis(x, 1, 0.01);
    this.#y = new Axis(y, 1, 0.01);
    this.#area = new Axis(area, 10, 0.0001);
    this.#shape = new Axis(shape, 10, null);
  }

  predict(): Box {
    if (this.#area.value + this.#area.velocity <= 0) this.#area.velocity = 0;
    for (const axis of [this.#x, this.#y, this.#area, this.#shape]) axis.predict();
    if (this.unseen > 0) this.streak = 0;
    this.unseen++;
    return this.box;
  }

  update(box: Box): void {
    const values = measured(box);
    [this.#x, this.#y, this.#area, this.#shape].forEach((axis, i) => {
      axis.update(values[i]!);
    });
    this.unseen = 0;
    this.streak++;
  }

  get box(): Box {
    const width = Math.sqrt(this.#area.value * this.#shape.value);
    const height = this.#area.value / width;
    return { id: this.id, x: this.#x.value - width / 2, y: this.#y.value - height / 2, width, height };
  }
}

/** A value, and its velocity a frame unless it has none. */
class Axis {
  value: number;
  velocity = 0;
  readonly #noise: number;
  readonly #drift: number | null;
  #pp = 10;
  #pv = 0;
  #vv: number;

  /** @param noise variance of a measurement @param drift variance by which the velocity grows a frame; null: it stays 0 */
  constructor(value: number, noise: number, drift: number | null) {
    this.value = value;
    this.#noise = noise;
    this.#drift = drift;
    this.#vv = drift === null ? 0 : 10_000;
  }

  predict(): void {
    this.value += this.velocity;
    this.#pp += 2 * this.#pv + this.#vv + 1;
    this.#pv += this.#vv;
    this.#vv += this.#drift ?? 0;
  }

  update(measured: number): void {
    const total = this.#pp + this.#noise;
    const [gain, velocityGain] = [this.#pp / total, this.#pv / total];
    const wrong = measured - this.value;
    this.value += gain * wrong;
    this.velocity += velocityGain * wrong;
    this.#vv -= velocityGain * this.#pv;
    this.#pv *= 1 - gain;
    this.#pp *= 1 - gain;
  }
}

const measured = ({ x, y, width, height }: Box): readonly [number, number, number, number] => [
  x + width / 2,
  y + height / 2,
  width * height,
  width / height,
];
