import type { Measure, Person, SensedEvent } from '../../pipeline/model/index.js';
import * as stored from '../shared/rows.js';
import type { Series } from './connection.js';
import { decodeTag } from '../shared/line-protocol/tags.js';

/** A row of an answer, by column; null if the point has no such field or tag. Times are microseconds. */
export type Row = Readonly<Record<string, number | string | boolean | null>>;

export { frameOf } from '../shared/rows.js';

/** The rows of a statement's series, each with the tags by which its series is grouped. */
export const rowsOf = (series: readonly Series[]): Row[] =>
  series.flatMap(({ tags, columns, values }) =>
    (values ?? []).map(
      (values) =>
        ({
          ...tags,
          ...Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null])),
        }) as Row,
    ),
  );

/** Keypoints are stored as a text of whole millimetres; null: anonymous persons have none. */
export function personOf(row: Row): Person {
  const keypoints = row['keypoints'] as string | null;
  return stored.personOf({ ...row, keypoints: keypoints === null ? null : keypoints.split(',').map(Number) });
}

export const eventOf = (row: Row, environment: string): SensedEvent =>
  stored.eventOf({ ...row, type: textOf(row, 'type'), source: textOf(row, 'source') }, environment);

export const measureOf = (row: Row, environment: string): Measure =>
  stored.measureOf(
    { ...row, name: textOf(row, 'name'), subject: subjectOf(row), source: textOf(row, 'source') },
    environment,
  );

const textOf = (row: Row, tag: string): string => decodeTag(row[tag] as string);

/** A link or zone by its name, a person by number; an absent tag is null or empty. */
function subjectOf(row: Row): string | null {
  if (row['person'] !== null) return String(row['person']);
  return row['subject'] ? textOf(row, 'subject') : null;
}
