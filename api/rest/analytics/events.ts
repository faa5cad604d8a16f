import { Type } from 'typebox';
import type { EventType, SensedEvent } from '../../../pipeline/model/index.js';
import type { Question } from './domain.js';

/** Limit of events in an answer; `count` counts all of them. */
const MAX_EVENTS = 1_000;

export const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const FloorLocation = Type.Object(
  { x: Type.Number(), y: Type.Number() },
  { additionalProperties: false, description: 'Metres on the floor; 0, 0 for an event without a position.' },
);

/** The events of one type in a range, oldest first, and their number. */
export async function eventsOf(
  { reader, environment, range }: Question,
  type: EventType,
): Promise<{ readonly count: number; readonly events: readonly SensedEvent[] }> {
  const query = { environment: environment.id, ...range, types: [type] };
  const [count, events] = await Promise.all([
    reader.countEvents(query),
    reader.events({ ...query, limit: MAX_EVENTS }),
  ]);
  return { count, events };
}
