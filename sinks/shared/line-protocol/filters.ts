import type { EventQuery, PersonQuery, PoseQuery } from '../../../pipeline/component/index.js';
import { POSE_FRAME } from './points.js';
import { numberOf, timeOf, type Row } from './rows.js';

/** The part of a WHERE clause under construction that every query language of these points has. */
interface Conditions {
  tag(name: string, text: string): this;
  oneOf(name: string, texts: readonly string[] | undefined): this;
  integer(field: string, value: number | undefined): this;
  atLeast(field: string, value: number | undefined): this;
}

/** Pose frames with at least one person above the confidence limit; the field avoids a query of `pose`. */
export const ofPoseFrames = <C extends Conditions>(
  conditions: C,
  query: Pick<PoseQuery, 'minConfidence'>,
): C => conditions.tag('name', POSE_FRAME).atLeast('best_confidence', query.minConfidence);

/** With `person`, a row is a pose frame too, because a track's number occurs once per pose frame. */
export const ofPersons = <C extends Conditions>(
  conditions: C,
  query: Pick<PersonQuery, 'person' | 'minConfidence'>,
): C => conditions.integer('track_id', query.person).atLeast('confidence', query.minConfidence);

export function ofEvents<C extends Conditions>(conditions: C, query: EventQuery): C {
  const wanted = conditions.oneOf('type', query.types).oneOf('severity', query.severities);
  return (query.ownOnly ?? true) ? wanted.tag('source', 'csiflow') : wanted;
}

/** Pose frames without the person are read too, up to this many in a row. */
const MAX_GAP = 50;

/** Time ranges, excluding their ends, that contain the pose frames of `rows` and few others. */
export function stretches(rows: readonly Row[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  let previous = -Infinity;
  for (const row of rows) {
    const last = found.at(-1);
    if (last && numberOf(row) - previous <= MAX_GAP) last[1] = timeOf(row) + 1;
    else found.push([timeOf(row), timeOf(row) + 1]);
    previous = numberOf(row);
  }
  return found;
}
