import type {
  EventType,
  Keypoint3D,
  Measure,
  Person,
  PoseFrame,
  Posture,
  Provenance,
  SensedEvent,
  Severity,
  Track,
} from '../../pipeline/model/index.js';
import { KEYPOINT_SIZE, type Cell } from './columns.js';

/** A row of a store, by the names of {@link TABLES}' columns. Times are microseconds. */
export type Row = Readonly<Record<string, Cell>>;

export const poseFrameOf = (row: Row, environment: string, persons: readonly Person[]): PoseFrame => ({
  port: 'pose',
  frameId: row['frame_id'] as number,
  environment,
  time: row['time'] as number,
  windowEnd: row['window_end'] as number,
  processingMs: row['processing_ms'] as number,
  persons,
  links: row['links'] as number,
  signalQuality: row['signal_quality'] as number,
  provenance: provenanceOf(row),
});

export const personOf = (row: Row): Person => ({
  confidence: row['confidence'] as number,
  position: { x: row['x'] as number, y: row['y'] as number, z: 0 },
  positionError: row['position_error'] as number,
  heading: row['heading'] as number | null,
  headingConfidence: row['heading_confidence'] as number,
  posture: row['posture'] as Posture,
  keypoints: keypointsOf(row['keypoints'] as readonly number[] | null),
  articulated: row['articulated'] as boolean,
  track: row['track_id'] === null ? null : trackOf(row),
});

const trackOf = (row: Row): Track => ({
  id: row['track_id'] as number,
  state: row['track_state'] as Track['state'],
  age: row['track_age'] as number,
  since: row['track_since'] as number,
  velocity: { x: row['velocity_x'] as number, y: row['velocity_y'] as number },
});

/** @param millimetres x, y, z and error of each keypoint; null: anonymous persons have none */
function keypointsOf(millimetres: readonly number[] | null): Keypoint3D[] {
  if (millimetres === null) return [];
  const metres = (at: number): number => millimetres[at]! / 1_000;
  const keypoints: Keypoint3D[] = [];
  for (let at = 0; at < millimetres.length; at += KEYPOINT_SIZE)
    keypoints.push({ x: metres(at), y: metres(at + 1), z: metres(at + 2), error: metres(at + 3) });
  return keypoints;
}

export const eventOf = (row: Row, environment: string): SensedEvent => ({
  port: 'event',
  id: row['id'] as string,
  type: row['type'] as EventType,
  severity: row['severity'] as Severity,
  environment,
  time: row['time'] as number,
  confidence: row['confidence'] as number,
  person: row['person'] as number | null,
  location:
    row['x'] === null ? null : { x: row['x'] as number, y: row['y'] as number, z: row['z'] as number },
  metadata: JSON.parse(row['metadata'] as string) as SensedEvent['metadata'],
  source: row['source'] as string,
  provenance: provenanceOf(row),
});

export const measureOf = (row: Row, environment: string): Measure => ({
  port: 'measure',
  name: row['name'] as string,
  environment,
  subject: row['subject'] as string | null,
  time: row['time'] as number,
  value: row['value'] as number,
  source: row['source'] as string,
  provenance: provenanceOf(row),
});

function provenanceOf(row: Row): Provenance {
  const origin = row['origin'] as Provenance['origin'];
  if (row['model_name'] === null) return { origin };
  return {
    origin,
    model: {
      name: row['model_name'] as string,
      version: row['model_version'] as string,
      trainedOn: row['model_trained_on'] as string,
      accuracy: row['model_accuracy'] as string,
    },
  };
}
