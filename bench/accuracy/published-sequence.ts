import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import type { Output } from '../../pipeline/component/index.js';
import type { Person, PoseFrame } from '../../pipeline/model/index.js';
import { benchContext } from '../shared/context.js';
import { POSE_START_US } from '../shared/pose-frame.js';
import { overlap, readMot, scoreTracking, type Box, type Sequence, type TrackingScore } from './tracking.js';

/** Folder of TUD-Campus (MOTChallenge) in a folder of recordings, with SORT's own detections. */
const SEQUENCE = 'tracking/tud-campus';

/** What is published of SORT on these detections; MOTA, IDF1 and HOTA in tenths of a percent. */
export const PUBLISHED = {
  mota: 62.7,
  falsePositives: 15,
  misses: 113,
  switches: 6,
  fragmentations: 9,
  idf1: 60.6,
  hota: 45.3,
} as const;

/** The file of the sequence that a folder of recordings lacks; undefined: none. */
export const missingSequence = (data: string): string | undefined =>
  ['gt.txt', 'det.txt'].map((name) => join(data, SEQUENCE, name)).find((file) => !existsSync(file));

/** Scores `track-persons` with `association: iou`, set as SORT is, on the sequence of a folder of recordings. */
export function trackSequence(data: string): TrackingScore {
  const read = (name: string) => readMot(readFileSync(join(data, SEQUENCE, name), 'utf8'));
  return scoreTracking(read('gt.txt'), byOverlap(read('det.txt')), overlap);
}

/** Duration of a frame, microseconds. */
const FRAME_US = 40_000;

/** The operator's tracks of detections, as people who stand there: a pixel is a centimetre. */
function byOverlap(detections: Sequence): Sequence {
  const config = Value.Default(trackPersons.config, {
    ...{ association: 'iou', min_hits: 3, max_age_ms: FRAME_US / 1000, max_persons: 100 },
  });
  const context = benchContext(1);
  const operator = trackPersons.create(config as never, context);
  const environment = context.environments[0]!.id;
  return detections.map((boxes, index) => {
    const [out] = (operator.process({ ...frameOf(boxes, index), environment }, 'poses') as Output<PoseFrame>)
      .data;
    return out!.persons.filter(({ track }) => track!.state === 'active').map(boxAround);
  });
}

function frameOf(boxes: readonly Box[], frameId: number): Omit<PoseFrame, 'environment'> {
  const time = POSE_START_US + frameId * FRAME_US;
  return {
    ...{ port: 'pose', frameId, time, windowEnd: time, processingMs: 0 },
    ...{ persons: boxes.map(standing), links: 1, signalQuality: 1, provenance: { origin: 'simulated' } },
  };
}

function standing({ x, y, width, height }: Box): Person {
  const joint = (right: number, down: number) => ({
    ...{ x: (x + right * width) / 100, y: (y + down * height) / 100 },
    ...{ z: 1, error: 0 },
  });
  return {
    ...{
      confidence: 0.8,
      position: joint(0.5, 0.5),
      positionError: 0.4,
      heading: null,
      headingConfidence: 0,
    },
    ...{ posture: 'upright', keypoints: [joint(0, 0), joint(1, 1)], articulated: true, track: null },
  };
}

function boxAround({ keypoints, track }: Person): Box {
  const [from, to] = keypoints as [Person['keypoints'][0], Person['keypoints'][0]];
  const [width, height] = [100 * (to.x - from.x), 100 * (to.y - from.y)];
  return { id: track!.id, x: 100 * from.x, y: 100 * from.y, width, height };
}
