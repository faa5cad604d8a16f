import { KEYPOINT_NAMES } from '../../pipeline/model/index.js';
import type { FileTable } from './tables.js';

/** Descriptions of columns, for docs/data-dictionary.md and for the metadata of files. */
export interface ColumnFact {
  readonly about: string;
  /** Left out: it has none, or it is a time. */
  readonly unit?: string;
}

type Facts = Readonly<Record<string, ColumnFact>>;

const run: Facts = { epoch: { about: 'number of the checkpoint interval in which the row was written' } };

const environment: ColumnFact = { about: 'id of the environment' };

const source: ColumnFact = { about: '`csiflow`, or the sender whose own packet claims it' };

const provenance: Facts = {
  origin: { about: '`live`, `replay` or `simulated`' },
  model_name: { about: 'model that inferred it; null if none did' },
  model_version: { about: 'its version' },
  model_trained_on: { about: 'what it was trained on' },
  model_accuracy: { about: 'page that documents its accuracy' },
};

const person: Facts = {
  frame_id: { about: 'number of the pose frame' },
  person_index: { about: 'index of the person in the pose frame, from 0' },
  confidence: { about: '0 to 1' },
  x: { about: 'floor position along x', unit: 'm' },
  y: { about: 'floor position along y', unit: 'm' },
  position_error: { about: 'scale of the error of the position', unit: 'm' },
  heading: { about: 'direction faced, from the x axis counter-clockwise; null if unknown', unit: 'rad' },
  heading_confidence: { about: '0 (unknown) to 1' },
  posture: { about: '`upright`, `sitting` or `lying`' },
  articulated: { about: 'false: the error is too large to draw a skeleton' },
  track_id: { about: 'number of the person; null without tracking' },
  track_state: { about: '`tentative`, `active`, `lost` or `ended`' },
  track_age: { about: 'pose frames since the birth of the track' },
  track_since: { about: 'birth of the track' },
  velocity_x: { about: 'speed along x', unit: 'm/s' },
  velocity_y: { about: 'speed along y', unit: 'm/s' },
  keypoints: {
    about: `x, y, z and error of 17 keypoints in COCO order (${KEYPOINT_NAMES.join(', ')}); null with \`anonymize_data\``,
    unit: 'mm',
  },
};

/** Description and unit of the columns, for each table and view. */
export const COLUMN_FACTS: Readonly<Record<FileTable, Facts>> = {
  poses: {
    ...run,
    time: { about: 'the middle of the window that the pose frame was inferred from' },
    environment,
    frame_id: { about: 'number of the pose frame; increases per environment' },
    window_end: { about: 'end of that window' },
    person_count: { about: 'number of persons in the pose frame' },
    best_confidence: { about: 'highest confidence among them, 0 to 1; null if there are none' },
    links: { about: 'number of links that were used' },
    signal_quality: { about: "share of the window's grid that frames covered, 0 to 1" },
    processing_ms: { about: 'inference time', unit: 'ms' },
    ...provenance,
  },
  persons: { ...run, time: { about: 'time of the pose frame' }, environment, ...person },
  events: {
    ...run,
    time: { about: 'when it happened' },
    environment,
    id: { about: 'the same for the same event of a repeated run' },
    type: { about: 'type of the event' },
    severity: { about: '`low`, `medium`, `high` or `critical`' },
    confidence: { about: '0 to 1' },
    person: { about: 'number of the person; null if it is about none' },
    x: { about: 'place along x; null if unknown', unit: 'm' },
    y: { about: 'place along y; null if unknown', unit: 'm' },
    z: { about: 'place above the floor; null if unknown', unit: 'm' },
    metadata: { about: 'further facts of this type of event, as JSON' },
    source,
    ...provenance,
  },
  measures: {
    ...run,
    time: { about: 'time of the value, or start of the minute that it sums up' },
    environment,
    name: { about: 'name of the measure' },
    subject: { about: 'link, zone or person; null for the whole environment' },
    value: { about: "in the measure's own unit" },
    source,
    ...provenance,
  },
  tracks: {
    environment,
    track_id: { about: 'number of the person' },
    since: { about: 'birth of the track' },
    first_seen: { about: 'time of its first pose frame' },
    last_seen: { about: 'time of its last pose frame' },
    frames: { about: 'number of its frames' },
    mean_confidence: { about: '0 to 1' },
    state: { about: '`track_state` in its last pose frame' },
  },
  keypoints: {
    time: { about: 'time of the pose frame' },
    environment,
    frame_id: person['frame_id']!,
    person_index: person['person_index']!,
    track_id: person['track_id']!,
    articulated: person['articulated']!,
    keypoint: { about: 'name of the keypoint' },
    x: { about: 'along x', unit: 'm' },
    y: { about: 'along y', unit: 'm' },
    z: { about: 'above the floor', unit: 'm' },
    error: { about: "scale of the error, relative to the person's root", unit: 'm' },
  },
};

/** Columns of the views, with the types that DuckDB gives them. */
export const VIEW_COLUMNS: Readonly<Record<'tracks' | 'keypoints', readonly (readonly [string, string])[]>> =
  {
    tracks: [
      ['environment', 'VARCHAR'],
      ['track_id', 'BIGINT'],
      ['since', 'TIMESTAMP'],
      ['first_seen', 'TIMESTAMP'],
      ['last_seen', 'TIMESTAMP'],
      ['frames', 'BIGINT'],
      ['mean_confidence', 'DOUBLE'],
      ['state', 'VARCHAR'],
    ],
    keypoints: [
      ['time', 'TIMESTAMP'],
      ['environment', 'VARCHAR'],
      ['frame_id', 'BIGINT'],
      ['person_index', 'UINTEGER'],
      ['track_id', 'BIGINT'],
      ['articulated', 'BOOLEAN'],
      ['keypoint', 'VARCHAR'],
      ['x', 'DOUBLE'],
      ['y', 'DOUBLE'],
      ['z', 'DOUBLE'],
      ['error', 'DOUBLE'],
    ],
  };

/** @throws TypeError if a column lacks one: a test names it */
export function columnFact(table: FileTable, column: string): ColumnFact {
  const fact = COLUMN_FACTS[table][column];
  if (!fact) throw new TypeError(`${table}.${column} has no description in column-facts.ts`);
  return fact;
}
