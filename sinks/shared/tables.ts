import type {
  Data,
  Measure,
  ModelReference,
  Person,
  PoseFrame,
  Provenance,
  SensedEvent,
} from '../../pipeline/model/index.js';
import {
  count,
  exact,
  flag,
  fraction,
  instant,
  keypointArray,
  metres,
  PendingRows,
  text,
  whole,
  type Column,
  type Table,
} from './columns.js';

/** The tables of results, in DuckDB files and, without columns of the run, in Parquet. docs/stores.md describes them for analysts. */

/** A person in its pose frame. */
export interface PersonOfPoseFrame {
  readonly poseFrame: PoseFrame;
  readonly person: Person;
  readonly index: number;
}

interface WithProvenance {
  readonly provenance: Provenance;
}

const epoch: Column<unknown> = { name: 'epoch', encoding: count, ofRun: true, get: (_row, number) => number };

const model = (name: string, get: (reference: ModelReference) => string): Column<WithProvenance> => ({
  name,
  encoding: text,
  get: ({ provenance }) => (provenance.model ? get(provenance.model) : null),
});

const provenance: readonly Column<WithProvenance>[] = [
  { name: 'origin', encoding: text, get: (row) => row.provenance.origin },
  model('model_name', (reference) => reference.name),
  model('model_version', (reference) => reference.version),
  model('model_trained_on', (reference) => reference.trainedOn),
  model('model_accuracy', (reference) => reference.accuracy),
];

/** One row per pose frame. */
const poses: Table<PoseFrame> = {
  name: 'poses',
  columns: [
    epoch,
    { name: 'time', encoding: instant, get: (poseFrame) => poseFrame.time },
    { name: 'environment', encoding: text, get: (poseFrame) => poseFrame.environment },
    { name: 'frame_id', encoding: whole, get: (poseFrame) => poseFrame.frameId },
    { name: 'window_end', encoding: instant, get: (poseFrame) => poseFrame.windowEnd },
    { name: 'person_count', encoding: count, get: (poseFrame) => poseFrame.persons.length },
    {
      name: 'best_confidence',
      encoding: fraction,
      get: ({ persons }) =>
        persons.length === 0 ? null : Math.max(...persons.map(({ confidence }) => confidence)),
    },
    { name: 'links', encoding: count, get: (poseFrame) => poseFrame.links },
    { name: 'signal_quality', encoding: fraction, get: (poseFrame) => poseFrame.signalQuality },
    { name: 'processing_ms', encoding: fraction, ofRun: true, get: (poseFrame) => poseFrame.processingMs },
    ...provenance,
  ],
};

/** One row per person and pose frame. */
const persons: Table<PersonOfPoseFrame> = {
  name: 'persons',
  columns: [
    epoch,
    { name: 'time', encoding: instant, get: ({ poseFrame }) => poseFrame.time },
    { name: 'environment', encoding: text, get: ({ poseFrame }) => poseFrame.environment },
    { name: 'frame_id', encoding: whole, get: ({ poseFrame }) => poseFrame.frameId },
    { name: 'person_index', encoding: count, get: ({ index }) => index },
    { name: 'confidence', encoding: fraction, get: ({ person }) => person.confidence },
    { name: 'x', encoding: metres, get: ({ person }) => person.position.x },
    { name: 'y', encoding: metres, get: ({ person }) => person.position.y },
    { name: 'position_error', encoding: metres, get: ({ person }) => person.positionError },
    { name: 'heading', encoding: fraction, get: ({ person }) => person.heading },
    { name: 'heading_confidence', encoding: fraction, get: ({ person }) => person.headingConfidence },
    { name: 'posture', encoding: text, get: ({ person }) => person.posture },
    { name: 'articulated', encoding: flag, get: ({ person }) => person.articulated },
    { name: 'track_id', encoding: whole, get: ({ person }) => person.track?.id ?? null },
    { name: 'track_state', encoding: text, get: ({ person }) => person.track?.state ?? null },
    { name: 'track_age', encoding: count, get: ({ person }) => person.track?.age ?? null },
    { name: 'track_since', encoding: instant, get: ({ person }) => person.track?.since ?? null },
    { name: 'velocity_x', encoding: metres, get: ({ person }) => person.track?.velocity.x ?? null },
    { name: 'velocity_y', encoding: metres, get: ({ person }) => person.track?.velocity.y ?? null },
    {
      name: 'keypoints',
      encoding: keypointArray,
      // Null for anonymous persons.
      get: ({ person: { keypoints } }) => (keypoints.length === 0 ? null : keypoints),
    },
  ],
};

const events: Table<SensedEvent> = {
  name: 'events',
  columns: [
    epoch,
    { name: 'time', encoding: instant, get: (event) => event.time },
    { name: 'environment', encoding: text, get: (event) => event.environment },
    { name: 'id', encoding: text, get: (event) => event.id },
    { name: 'type', encoding: text, get: (event) => event.type },
    { name: 'severity', encoding: text, get: (event) => event.severity },
    { name: 'confidence', encoding: exact, get: (event) => event.confidence },
    { name: 'person', encoding: whole, get: (event) => event.person },
    { name: 'x', encoding: exact, get: (event) => event.location?.x ?? null },
    { name: 'y', encoding: exact, get: (event) => event.location?.y ?? null },
    { name: 'z', encoding: exact, get: (event) => event.location?.z ?? null },
    { name: 'metadata', encoding: text, get: (event) => encodeMetadata(event.metadata) },
    { name: 'source', encoding: text, get: (event) => event.source },
    ...provenance,
  ],
};

const measures: Table<Measure> = {
  name: 'measures',
  columns: [
    epoch,
    { name: 'time', encoding: instant, get: (measure) => measure.time },
    { name: 'environment', encoding: text, get: (measure) => measure.environment },
    { name: 'name', encoding: text, get: (measure) => measure.name },
    { name: 'subject', encoding: text, get: (measure) => measure.subject },
    { name: 'value', encoding: exact, get: (measure) => measure.value },
    { name: 'source', encoding: text, get: (measure) => measure.source },
    ...provenance,
  ],
};

export const TABLES = { poses, persons, events, measures } as const;
export type TableName = keyof typeof TABLES;
/** Tables and views that are written to files. */
export type FileTable = TableName | 'tracks' | 'keypoints';

/** Columns that files for other programs lack. */
export const runColumns = (name: TableName): readonly string[] =>
  (TABLES[name].columns as readonly Column<never>[])
    .filter(({ ofRun }) => ofRun)
    .map((column) => column.name);

/**
 * SELECT for the rows of a table as exports contain them: without details of the run, and in an order that
 * does not depend on it. Two runs of the same input produce the same file, byte for byte. `where` is SQL too.
 */
export function comparableRows(name: TableName, where = 'true'): string {
  const columns: readonly Column<never>[] = TABLES[name].columns;
  const names = columns.filter(({ ofRun }) => !ofRun).map((column) => `"${column.name}"`);
  return `SELECT ${names.join(', ')} FROM ${name} WHERE ${where} ORDER BY ALL`;
}

export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/**
 * Rows of all tables that wait to be stored. A pose frame becomes one row of `poses` and one of `persons` for
 * each person.
 */
export class PendingRecords {
  readonly poses = new PendingRows(poses);
  readonly persons = new PendingRows(persons);
  readonly events = new PendingRows(events);
  readonly measures = new PendingRows(measures);
  #earliestPose = Infinity;

  /** Time of the earliest pose frame, or an earlier one, in microseconds since 1970; Infinity if there is none. */
  get earliestPose(): number {
    return this.#earliestPose;
  }

  get rows(): number {
    return this.poses.rows + this.persons.rows + this.events.rows + this.measures.rows;
  }

  /** @throws RangeError if a value could not be returned exactly; in that case no row of the record is added */
  add(record: Data, epoch: number): void {
    switch (record.port) {
      case 'pose':
        this.#addPoseFrame(record, epoch);
        break;
      case 'event':
        this.events.add(record, epoch);
        break;
      case 'measure':
        this.measures.add(record, epoch);
        break;
      default:
        throw new RangeError(`a store of results accepts no ${record.port} records`);
    }
  }

  rewind(epoch: number): void {
    for (const table of TABLE_NAMES) this[table].rewind(epoch);
  }

  #addPoseFrame(poseFrame: PoseFrame, epoch: number): void {
    const before = { poses: this.poses.rows, persons: this.persons.rows };
    try {
      this.poses.add(poseFrame, epoch);
      poseFrame.persons.forEach((person, index) => {
        this.persons.add({ poseFrame, person, index }, epoch);
      });
    } catch (error) {
      this.poses.truncate(before.poses);
      this.persons.truncate(before.persons);
      throw error;
    }
    // A rejected time may be NaN, which would stay.
    this.#earliestPose = Math.min(this.#earliestPose, poseFrame.time);
  }
}

/** As a JSON object. JSON can write minus zero, though JSON.stringify does not. */
function encodeMetadata(metadata: SensedEvent['metadata']): string {
  const fields = Object.entries(metadata).map(([key, value]) => {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new RangeError(`field ${key} is ${value}: only finite numbers can be stored`);
    text.encode(key);
    if (typeof value === 'string') text.encode(value);
    return `${JSON.stringify(key)}:${Object.is(value, -0) ? '-0' : JSON.stringify(value)}`;
  });
  return `{${fields.join(',')}}`;
}
