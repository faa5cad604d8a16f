import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { overlap, readMot, scoreTracking, type Box, type Sequence } from '../../bench/accuracy/tracking.js';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import type { Output } from '../../pipeline/component/index.js';
import type { Person, PoseFrame } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { withDefaults } from '../kit/definition.js';
import { person, poseFrame } from '../support/records.js';
import { sharedFile } from '../support/shared.js';

const folder = sharedFile('tracking/tud-campus');
const read = (name: string) => readMot(readFileSync(`${folder}/${name}`, 'utf8'));
const hundredths = (share: number) => Math.round(share * 10000) / 100;
const tenths = (share: number) => Math.round(share * 1000) / 10;

describe.skipIf(folder === undefined)('TUD-Campus, published figures', () => {
  it("of a tracker's output", () => {
    const { mota, idf1, hota, switches } = scoreTracking(read('gt.txt'), read('test.txt'), overlap);
    expect({ mota: tenths(mota), idf1: tenths(idf1), hota: hundredths(hota), switches }).toEqual({
      mota: 52.6,
      idf1: 55.8,
      hota: 39.14,
      switches: 7,
    });
  });

  it('of SORT on its detections: track-persons with `association: iou`', () => {
    const tracks = byOverlap(read('det.txt'));
    const { mota, idf1, hota, ...counts } = scoreTracking(read('gt.txt'), tracks, overlap);
    expect(counts).toEqual({ truths: 359, falsePositives: 15, misses: 113, switches: 6, fragmentations: 9 });
    expect([tenths(mota), tenths(idf1), tenths(hota)]).toEqual([62.7, 60.6, 45.3]);
  });
});

/** Duration of a frame, microseconds. */
const FRAME = 40_000;

/** The operator's tracks of detections, as people who stand there: a pixel is a centimetre. */
function byOverlap(detections: Sequence): Sequence {
  const config = withDefaults(trackPersons, {
    ...{ association: 'iou', min_hits: 3, max_age_ms: FRAME / 1000, max_persons: 100 },
  });
  const operator = trackPersons.create(config as never, testContext().context);
  return detections.map((boxes, index) => {
    const persons = boxes.map(standing);
    const frame = { ...poseFrame(index, { persons }), time: 1e15 + index * FRAME };
    const [out] = (operator.process(frame, 'poses') as Output<PoseFrame>).data;
    return out!.persons.filter(({ track }) => track!.state === 'active').map(boxAround);
  });
}

function standing({ x, y, width, height }: Box): Person {
  const joint = (right: number, down: number) => ({
    ...{ x: (x + right * width) / 100, y: (y + down * height) / 100 },
    ...{ z: 1, error: 0 },
  });
  const keypoints = [joint(0, 0), joint(1, 1)];
  return person(0, 0, { position: joint(0.5, 0.5), keypoints, articulated: true, track: null });
}

function boxAround({ keypoints, track }: Person): Box {
  const [from, to] = keypoints as [Person['keypoints'][0], Person['keypoints'][0]];
  const [width, height] = [100 * (to.x - from.x), 100 * (to.y - from.y)];
  return { id: track!.id, x: 100 * from.x, y: 100 * from.y, width, height };
}

describe('scores', () => {
  const box = (id: number, x: number): Box => ({ id, x, y: 0, width: 10, height: 10 });

  it('of the truth itself are perfect', () => {
    const truth = [[box(1, 0), box(2, 50)], [box(1, 2)], [box(1, 4), box(2, 50)]];
    expect(scoreTracking(truth, truth, overlap)).toMatchObject({ mota: 1, idf1: 1, hota: 1, switches: 0 });
  });

  it('count a change of numbers once, and missing and false tracks', () => {
    const truth = [[box(1, 0)], [box(1, 0)], [box(1, 0)], [box(1, 0)]];
    const tracks = [[box(7, 0)], [], [box(8, 1), box(9, 80)], [box(8, 0)]];
    expect(scoreTracking(truth, tracks, overlap)).toMatchObject({
      truths: 4,
      falsePositives: 1,
      misses: 1,
      switches: 1,
      fragmentations: 1,
      mota: 1 - 3 / 4,
      idf1: 4 / 8,
    });
  });
});
