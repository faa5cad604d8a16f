import type { Aggregate, Cursor } from '../../../pipeline/component/index.js';
import type { Measure, Person, PoseFrame, SensedEvent } from '../../../pipeline/model/index.js';
import * as stored from '../rows.js';
import { decodeTag } from './tags.js';

/** A row read back, by column; null if the point has no such field or tag. Times are microseconds. */
export type Row = Readonly<Record<string, number | string | boolean | null>>;

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

/** @param row one of sums: `name`, `count`, `sum`, `min`, `max` */
export const aggregateOf = (row: Row, subject: string | null, start: number): Aggregate => ({
  name: textOf(row, 'name'),
  subject,
  start,
  count: row['count'] as number,
  sum: row['sum'] as number,
  min: row['min'] as number,
  max: row['max'] as number,
});

const textOf = (row: Row, tag: string): string => decodeTag(row[tag] as string);

/** A link or zone by its name, a person by number; a sum may lack either, and an absent tag is null or empty. */
export function subjectOf(row: Row): string | null {
  if (typeof row['person'] === 'number') return String(row['person']);
  return row['subject'] ? textOf(row, 'subject') : null;
}

/** Pose frames, each with its own `persons`. */
export function together(
  poseFrames: readonly Row[],
  persons: readonly Row[],
  environment: string,
): PoseFrame[] {
  const byPoseFrame = new Map(poseFrames.map((row) => [keyOf(row), [] as Person[]]));
  for (const row of persons) byPoseFrame.get(keyOf(row))?.push(personOf(row));
  return poseFrames.map((row) => stored.poseFrameOf(row, environment, byPoseFrame.get(keyOf(row))!));
}

export const timeOf = (row: Row): number => row['time'] as number;
export const numberOf = (row: Row): number => row['frame_id'] as number;
export const keyOf = (row: Row): string => `${timeOf(row)} ${numberOf(row)}`;
export const byPoseFrame = (a: Row, b: Row): number => timeOf(a) - timeOf(b) || numberOf(a) - numberOf(b);
export const byPerson = (a: Row, b: Row): number =>
  byPoseFrame(a, b) || (a['person_index'] as number) - (b['person_index'] as number);
export const isAfter = (row: Row, { time, frameId }: Cursor): boolean =>
  timeOf(row) > time || (timeOf(row) === time && numberOf(row) > frameId);

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const bySubject = (a: string | null, b: string | null): number =>
  Number(a !== null) - Number(b !== null) || byText(a ?? '', b ?? '');

export const byTimeId = (a: SensedEvent, b: SensedEvent): number => a.time - b.time || byText(a.id, b.id);

export const byTimeNameSubject = (a: Measure, b: Measure): number =>
  a.time - b.time || byText(a.name, b.name) || bySubject(a.subject, b.subject);

export const byStartNameSubject = (a: Aggregate, b: Aggregate): number =>
  a.start - b.start || byText(a.name, b.name) || bySubject(a.subject, b.subject);
