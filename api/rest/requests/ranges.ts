import { Type } from 'typebox';
import { ApiError } from '../../service/errors.js';
import { fromIsoTime, isoTime } from '../../../pipeline/base/iso-time.js';

export const Time = Type.String({ format: 'date-time' });

/** Longest range of one call, microseconds: 90 days. */
const MAX_RANGE = 90 * 24 * 3_600 * 1e6;

/**
 * @param endField name of the end, for errors
 * @throws ApiError 422 if the end is not after the start, 400 for more than 90 days.
 */
export function readRange(
  startTime: string | undefined,
  endTime: string | undefined,
  endField = 'end_time',
): { start?: number; end?: number } {
  const start = startTime === undefined ? undefined : fromIsoTime(startTime);
  const end = endTime === undefined ? undefined : fromIsoTime(endTime);
  if (start !== undefined && end !== undefined) {
    const refuse = (situation: 'VALIDATION_ERROR' | 'BAD_REQUEST', message: string): ApiError =>
      new ApiError(situation, message, {
        details: { fields: [{ field: endField, message, received: endTime }] },
      });
    if (end <= start)
      throw refuse('VALIDATION_ERROR', `${endField} must be after ${endField.replace(/end/, 'start')}`);
    if (end - start > MAX_RANGE)
      throw refuse('BAD_REQUEST', 'A range may span at most 90 days: use a shorter one');
  }
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
}

/** Form A's answer for an empty range: 404 with the requested and the stored range. */
export function refuseEmpty(
  requested: { readonly start?: number; readonly end?: number },
  available: { readonly start: number; readonly end: number } | undefined,
): ApiError {
  const iso = (time: number | undefined): string | null => (time === undefined ? null : isoTime(time));
  return new ApiError('POSE_DATA_NOT_FOUND', 'No pose data in the requested range', {
    details: {
      ranges: {
        requested: { start: iso(requested.start), end: iso(requested.end) },
        available: { start: iso(available?.start), end: iso(available?.end) },
      },
    },
  });
}
