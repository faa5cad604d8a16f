import type { FileTable } from './tables.js';

/** A field of a line that the sink `file` writes as NDJSON, by its path: `persons[].position.x`. */
export interface NdjsonField {
  readonly path: string;
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'object';
  /** The column of the tables that holds the same; its description and unit apply. */
  readonly column?: readonly [FileTable, string];
  /** Description of a field that no column holds. */
  readonly about?: string;
  readonly unit?: string;
}

const of = (
  table: FileTable,
  type: NdjsonField['type'],
  fields: Readonly<Record<string, string>>,
): readonly NdjsonField[] =>
  Object.entries(fields).map(([path, column]) => ({ path, type, column: [table, column] }));

/** Times are microseconds since 1970. */
const micros = (table: FileTable, fields: Readonly<Record<string, string>>): readonly NdjsonField[] =>
  of(table, 'integer', fields).map((field) => ({ ...field, unit: 'µs since 1970' }));

const port: NdjsonField = { path: 'port', type: 'text', about: 'kind of the record' };

const provenance = (table: FileTable): readonly NdjsonField[] =>
  of(table, 'text', {
    'provenance.origin': 'origin',
    'provenance.model.name': 'model_name',
    'provenance.model.version': 'model_version',
    'provenance.model.trainedOn': 'model_trained_on',
    'provenance.model.accuracy': 'model_accuracy',
  });

/** Fields of each port's lines. */
export const NDJSON_FIELDS: Readonly<Record<'pose' | 'event' | 'measure', readonly NdjsonField[]>> = {
  pose: [
    port,
    ...micros('poses', { time: 'time', windowEnd: 'window_end' }),
    ...of('poses', 'text', { environment: 'environment' }),
    ...of('poses', 'integer', { frameId: 'frame_id', links: 'links' }),
    ...of('poses', 'number', { signalQuality: 'signal_quality' }),
    {
      path: 'counts[]',
      type: 'number',
      about: 'probabilities of nobody, one person, and so on; the last: that many or more',
    },
    { path: 'leftOut[].link', type: 'text', about: 'link that was not used; absent if there is none' },
    { path: 'leftOut[].fault', type: 'text', about: 'why: `noise`, `frozen`, `silent` or `unsteady`' },
    ...of('persons', 'number', {
      'persons[].confidence': 'confidence',
      'persons[].position.x': 'x',
      'persons[].position.y': 'y',
    }),
    { path: 'persons[].position.z', type: 'number', unit: 'm', about: '0: the position is on the floor' },
    ...of('persons', 'number', {
      'persons[].positionError': 'position_error',
      'persons[].heading': 'heading',
      'persons[].headingConfidence': 'heading_confidence',
    }),
    ...of('persons', 'text', { 'persons[].posture': 'posture' }),
    ...of('persons', 'boolean', { 'persons[].articulated': 'articulated' }),
    ...of('keypoints', 'number', {
      'persons[].keypoints[].x': 'x',
      'persons[].keypoints[].y': 'y',
      'persons[].keypoints[].z': 'z',
      'persons[].keypoints[].error': 'error',
    }),
    ...of('persons', 'integer', { 'persons[].track.id': 'track_id', 'persons[].track.age': 'track_age' }),
    ...of('persons', 'text', { 'persons[].track.state': 'track_state' }),
    ...micros('persons', { 'persons[].track.since': 'track_since' }),
    ...of('persons', 'number', {
      'persons[].track.velocity.x': 'velocity_x',
      'persons[].track.velocity.y': 'velocity_y',
    }),
    ...provenance('poses'),
  ],
  event: [
    port,
    ...micros('events', { time: 'time' }),
    ...of('events', 'text', { environment: 'environment', id: 'id', type: 'type', severity: 'severity' }),
    ...of('events', 'number', { confidence: 'confidence' }),
    ...of('events', 'integer', { person: 'person' }),
    ...of('events', 'number', { 'location.x': 'x', 'location.y': 'y', 'location.z': 'z' }),
    ...of('events', 'object', { metadata: 'metadata' }),
    ...of('events', 'text', { source: 'source' }),
    ...provenance('events'),
  ],
  measure: [
    port,
    ...micros('measures', { time: 'time' }),
    ...of('measures', 'text', { environment: 'environment', name: 'name', subject: 'subject' }),
    ...of('measures', 'number', { value: 'value' }),
    ...of('measures', 'text', { source: 'source' }),
    ...provenance('measures'),
  ],
};
