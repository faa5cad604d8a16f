import { Type } from 'typebox';
import { ApiError } from '../contract/errors.js';
import { fromIsoTime } from '../contract/form.js';

export const Time = Type.String({ format: 'date-time' });

/** Longest range that one call may ask for, microseconds: 90 days. */
const LONGEST_RANGE = 90 * 24 * 3_600 * 1e6;

/** @throws ApiError 422 where the end is not after the start, 400 for more than 90 days. */
export function readRange(
  startTime: string | undefined,
  endTime: string | undefined,
): { start?: number; end?: number } {
  const start = startTime === undefined ? undefined : fromIsoTime(startTime);
  const end = endTime === undefined ? undefined : fromIsoTime(endTime);
  if (start !== undefined && end !== undefined) {
    if (end <= start) {
      const message = 'end_time must lie after start_time';
      throw new ApiError('VALIDATION_ERROR', message, {
        details: { fields: [{ field: 'end_time', message, received: endTime }] },
      });
    }
    if (end - start > LONGEST_RANGE)
      throw new ApiError('BAD_REQUEST', 'A range may span 90 days at most: ask for a shorter one');
  }
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
}
