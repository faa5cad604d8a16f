import { beforeAll, describe, expect, it } from 'vitest';
import { lossAndGradient, lossOfAll, trainAnswers } from '../../bench/site/answers-training.js';
import { lessonsOf, peopleAt, splitOf, type Labelled, type Span } from '../../bench/site/lessons.js';
import type { HeardWindow } from '../../bench/site/listen.js';
import { Labels, type Line } from '../../bench/site/labels.js';
import { TRUE } from '../../bench/memory/courses.js';
import { CELLS } from '../../operators/infer-pose/inputs/geometry.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import {
  CELL_INPUTS,
  MEMORY_LAYERS,
  MEMORY_PARAMETERS,
  MEMORY_OFFSETS,
  ROOM_INPUTS,
} from '../../operators/infer-pose/networks/memory-layers.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { seeded } from '../../pipeline/base/random.js';

const random = seeded(8);
const START = 1_000e6;
const SECONDS = 40;

const line = (
  time: number,
  person: string | null,
  place: Line['place'],
  posture: Line['posture'] = null,
): Line => ({
  ...{ time, absolute: false, person, place, posture },
});

/** Nobody, then anna walks along x at 0.5 m/s for 8 s, then keeps still; unlabelled from 30 s on. */
const labels = new Labels([
  line(0, null, null),
  line(6, 'anna', [0, 1], 'upright'),
  line(14, 'anna', [4, 1], 'lying'),
  line(30, 'anna', [4, 1]),
]);
const played = { path: 'evening.csi', from: START, to: START + SECONDS * 1e6, moved: 0 };
const recordings: readonly Labelled[] = [{ played, labels, absolute: false }];

/** Five windows of 2 s per second. */
const windows = Array.from({ length: 5 * (SECONDS - 2) }, (_, i): HeardWindow => ({
  start: START + i * 200_000,
  end: START + i * 200_000 + 2e6,
  cells: new Uint16Array(CELLS * CELL_INPUTS),
  room: new Float32Array(ROOM_INPUTS),
  alone: new Float32Array(OUT.size).fill(0.1),
}));
const weights = Float32Array.from({ length: MEMORY_PARAMETERS }, () => 0.1 * (random() - 0.5));
const size = { x: 5, y: 4 };
const lessons = (span: Span) => lessonsOf(windows, [span], recordings, { start: weights, size });
/** Seconds of the recording. */
const span = (from: number, to: number): Span => ({ from: START + from * 1e6, to: START + to * 1e6 });

describe('training data of a recording', () => {
  it('is split into three parts by time, over the labelled ranges', () => {
    const split = splitOf(windows, recordings);
    const [trained, watched, judged] = [split.trained[0]!, split.watched[0]!, split.judged[0]!];
    expect(trained.from).toBe(START);
    expect(trained.to).toBe(watched.from);
    expect(watched.to).toBe(judged.from);
    expect((trained.to - START) / 1e6).toBeCloseTo(0.7 * 29, 0);
    expect((watched.to - START) / 1e6).toBeCloseTo(0.85 * 29, 0);
  });

  it('is labelled at the middle of each window within its part', () => {
    expect(lessons(span(0, 5)).map(({ people }) => people)).toEqual(Array(16).fill(0));
    const [walking, ...others] = lessons(span(10, 12));
    expect(others).toEqual([]);
    const { people, truth } = walking!;
    expect(people).toBe(1);
    expect(truth[TRUE.place]).toBeCloseTo(2.5, 5);
    expect([truth[TRUE.heading], truth[TRUE.heading + 1]]).toEqual([1, 0]);
    expect(truth[TRUE.speed]).toBeCloseTo(0.5, 5);
    const [still] = lessons(span(19, 21));
    expect(still!.truth[TRUE.posture]).toBe(2);
    expect(still!.truth[TRUE.speed]).toBe(0);
    expect(lessons(span(30, 40))).toEqual([]);
  });

  it('may have dates for times', () => {
    const dated = new Labels([
      { ...line(1_700_000_000, 'ben', [1, 1]), absolute: true },
      { ...line(1_700_000_010, 'ben', [2, 1]), absolute: true },
    ]);
    const moved = START - 1_700_000_000e6;
    const own = [{ played: { ...played, moved }, labels: dated, absolute: true }];
    expect(peopleAt(own, START + 5e6)![0]!.place).toEqual([1.5, 1]);
    expect(peopleAt(own, START - 1)).toBeNull();
  });
});

describe('the training of the last layer', () => {
  beforeAll(async () => {
    await loadTrainingBackend('wasm');
  });

  it('follows the gradient that small steps show, and changes no other layer', () => {
    const some = [...lessons(span(24, 26.2)), ...lessons(span(19, 21))];
    const { loss, gradient } = lossAndGradient(weights, some, size);
    expect(loss).toBeCloseTo(lossOfAll(weights, some, size), 5);
    for (const layer of MEMORY_LAYERS) {
      const { kernel, bias, end } = MEMORY_OFFSETS.get(layer.name)!;
      if (!['count', 'body', 'figure'].includes(layer.name))
        expect(gradient.subarray(kernel, end).every((value) => value === 0)).toBe(true);
      else if (layer.name === 'count') {
        const moved = (by: number) => lossOfAll(weights.with(bias, weights[bias]! + by), some, size);
        expect(gradient[bias]).toBeCloseTo((moved(0.01) - moved(-0.01)) / 0.02, 3);
      }
    }
  });

  it('improves its validation, and ends with the best weights', () => {
    const trained = lessons(span(8, 20));
    const watched = lessons(span(20, 29));
    const looks: number[] = [];
    const result = trainAnswers(
      weights,
      { trained, watched },
      { steps: 30, batch: 8, rate: 0.01, look: 10 },
      {
        ...{ size, seed: 1, patience: 0 },
        progress: ({ watched: loss }) => looks.push(loss),
      },
    );
    expect(looks).toHaveLength(3);
    expect(result.watched).toBe(Math.min(...looks));
    expect(result.watched).toBeLessThan(result.before);
    expect(result.watched).toBeCloseTo(lossOfAll(result.weights, watched, size), 5);
  });
});
