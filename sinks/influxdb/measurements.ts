import type { Column } from '../shared/columns.js';
import type { TableName } from '../shared/tables.js';
import { FIELDS, MEASURE_MEASUREMENTS, TRACK_FIELDS } from '../shared/line-protocol/points.js';

/** Fields and tags of a kind of point, for docs/data-dictionary.md. */
export interface PointKind {
  /** Measurements that it is written to. */
  readonly measurements: readonly string[];
  readonly tags: readonly string[];
  /** The table whose columns its fields are. */
  readonly table: TableName;
  readonly fields: readonly Column<never>[];
  /** Fields that no table has. */
  readonly own: readonly OwnField[];
}

interface OwnField {
  readonly name: string;
  readonly type: 'integer' | 'float';
  readonly unit?: string;
  readonly about: string;
}

/** All kinds of points that the sink writes. */
export const POINT_KINDS: readonly PointKind[] = [
  {
    measurements: ['occupancy'],
    tags: ['environment', 'name', 'origin'],
    table: 'poses',
    fields: FIELDS.poseFrame,
    own: [
      {
        name: 'people',
        type: 'integer',
        about: 'persons in sight: with an `active` track, or without tracking',
      },
    ],
  },
  {
    measurements: ['pose'],
    tags: ['environment', 'origin'],
    table: 'persons',
    fields: FIELDS.person,
    own: [],
  },
  {
    measurements: ['track'],
    tags: ['environment', 'slot', 'origin'],
    table: 'persons',
    fields: TRACK_FIELDS,
    own: [{ name: 'speed', type: 'float', unit: 'm/s', about: 'length of the velocity' }],
  },
  {
    measurements: ['event'],
    tags: ['environment', 'type', 'severity', 'source', 'origin', 'slot'],
    table: 'events',
    fields: FIELDS.event,
    own: [],
  },
  {
    measurements: MEASURE_MEASUREMENTS,
    tags: ['environment', 'name', 'source', 'origin', 'slot', 'subject'],
    table: 'measures',
    fields: FIELDS.measure,
    own: [
      { name: 'person', type: 'integer', about: 'number of the person, of a measure of one; else absent' },
    ],
  },
];
