import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MIRRORED } from '../../operators/infer-pose/networks/body.js';
import {
  axesAt,
  directionFeatures,
  placeFeatures,
  ROOM_AXES,
  turn,
  turnBack,
  type Axes,
  type LinkPlace,
} from '../../operators/infer-pose/inputs/geometry.js';
import { CALIBRATED, LINK_FEATURES } from '../../operators/infer-pose/inputs/features.js';
import { trainingBatch } from '../../operators/infer-pose/training/batches.js';
import { allocateSamples, PERSON, personTruth } from '../../operators/infer-pose/training/samples.js';

const angle = fc.double({ min: -7, max: 7, noNaN: true });
const metre = fc.double({ min: -5, max: 5, noNaN: true });
const sign = fc.constantFrom<1 | -1>(1, -1);

const link: LinkPlace = { transmitter: { x: 0.2, y: 0.4, z: 1.1 }, receiver: { x: 4.1, y: 3.2, z: 0.7 } };

function moved(place: LinkPlace, axes: Axes): LinkPlace {
  const move = ({ x, y, z }: LinkPlace['transmitter']) => {
    const [mx, my] = turn(axes, x, y);
    return { x: mx, y: my, z };
  };
  return { transmitter: move(place.transmitter), receiver: move(place.receiver) };
}

describe('turning and mirroring', () => {
  it('is undone by turning back', () => {
    fc.assert(
      fc.property(angle, sign, metre, metre, (a, s, x, y) => {
        const axes = axesAt(a, s);
        const [bx, by] = turnBack(axes, ...turn(axes, x, y));
        expect(bx).toBeCloseTo(x, 9);
        expect(by).toBeCloseTo(y, 9);
      }),
    );
  });

  it('keeps what a link sees of a place', () => {
    fc.assert(
      fc.property(angle, sign, metre, metre, (a, s, x, y) => {
        const axes = axesAt(a, s);
        const plain = new Float32Array(13);
        const other = new Float32Array(13);
        placeFeatures(x, y, link, plain, 0);
        placeFeatures(...turn(axes, x, y), moved(link, axes), other, 0);
        plain.forEach((value, i) => {
          expect(other[i]).toBeCloseTo(value, 4);
        });
      }),
    );
  });

  it('of the axes rotates directions like coordinates', () => {
    fc.assert(
      fc.property(angle, sign, metre, metre, (a, s, x, y) => {
        const axes = axesAt(a, s);
        const byAxes = new Float32Array(9);
        const byCoordinates = new Float32Array(9);
        directionFeatures(x, y, link, axes, byAxes, 0);
        directionFeatures(...turn(axes, x, y), moved(link, axes), ROOM_AXES, byCoordinates, 0);
        byAxes.forEach((value, i) => {
          expect(byCoordinates[i]).toBeCloseTo(value, 4);
        });
      }),
    );
  });

  it("knows each joint's other side", () => {
    expect(MIRRORED.map((joint) => MIRRORED[joint])).toEqual(Array.from({ length: 17 }, (_, i) => i));
  });
});

describe('a training batch', () => {
  const samples = allocateSamples(1, 3);
  samples.places.set([5, 4, 0, 0, 1, 5, 4, 1, 5, 0, 1, 0, 4, 1, 0, 2, 1, 5, 2, 1]);
  for (let i = 0; i < 3; i++) samples.features.fill(i + 1, i * LINK_FEATURES, (i + 1) * LINK_FEATURES);
  samples.truth.set([1, 0, 2, 1, 0.6, 0.8, 0, 1]);
  const one = personTruth(samples.truth, 0, 0);
  for (let i = 0; i < 51; i++) one[PERSON.joints + i] = i / 10;
  const picks = [{ samples, index: 0 }];
  /** Returns these numbers in turn. */
  const chance = (...values: number[]) => {
    let i = 0;
    return () => values[i++ % values.length]!;
  };

  it('without augmentation is the unchanged sample', () => {
    const batch = trainingBatch(picks, { links: 3, uncalibrated: 0, turned: false }, chance(0.5));
    expect([...batch.scene.features.slice(0, 3)]).toEqual([1, 1, 1]);
    expect([...batch.root]).toEqual([2, 1]);
    expect(batch.heading[0]).toBeCloseTo(0.6);
    expect(batch.joints[3 * 5 + 1]).toBeCloseTo(1.6);
    expect([...batch.posture]).toEqual([1, 0, 0]);
    expect(batch.cells.reduce((sum, cell) => sum + cell, 0)).toBeCloseTo(1, 5);
  });

  it('turned by a quarter and mirrored has its answers turned and sides swapped', () => {
    // angle 2 pi * 0.25; 0.25 < 0.5 mirrors
    const batch = trainingBatch(picks, { links: 3, uncalibrated: 0, turned: true }, chance(0.25));
    const axes = batch.axes[0]!;
    expect(axes.sign).toBe(-1);
    expect([...batch.heading].map((v) => Math.round(v * 1000) / 1000)).toEqual([0.8, 0.6]);
    expect(batch.joints[3 * 5]).toBeCloseTo(one[PERSON.joints + 3 * 6]!);
    expect(batch.joints[3 * 5 + 1]).toBeCloseTo(-one[PERSON.joints + 3 * 6 + 1]!);
  });

  it('removes the calibration from its share of windows', () => {
    const batch = trainingBatch(picks, { links: 3, uncalibrated: 1, turned: false }, chance(0.5));
    expect(batch.scene.features[CALIBRATED.start]).toBe(0);
    expect(batch.scene.features[CALIBRATED.start - 1]).toBe(1);
  });

  it('draws links without repeats', () => {
    const batch = trainingBatch(picks, { links: 2, uncalibrated: 0, turned: false }, chance(0.9, 0.1, 0.7));
    expect(batch.scenes[0]!.links).toHaveLength(2);
    expect(batch.scene.features[0]).not.toBe(batch.scene.features[LINK_FEATURES]);
  });
});
