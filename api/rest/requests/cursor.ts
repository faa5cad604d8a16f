import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Cursor } from '../../../pipeline/component/index.js';
import { ApiError } from '../../service/errors.js';

const SEAL_BYTES = 16;

/** An opaque, signed cursor into a result: valid only for the query that returned it. */
export function sealCursor(cursor: Cursor, query: object, key: Buffer): string {
  const body = Buffer.from(JSON.stringify([cursor.time, cursor.frameId]));
  return Buffer.concat([seal(body, query, key), body]).toString('base64url');
}

/** @throws ApiError 422 for a cursor that was not sealed for this query. */
export function openCursor(text: string, query: object, key: Buffer): Cursor {
  const bytes = Buffer.from(text, 'base64url');
  const body = bytes.subarray(SEAL_BYTES);
  const given = bytes.subarray(0, SEAL_BYTES);
  if (given.length === SEAL_BYTES && timingSafeEqual(given, seal(body, query, key))) {
    const [time, frameId] = JSON.parse(body.toString()) as [number, number];
    return { time, frameId };
  }
  const message =
    'The cursor does not belong to this query: send the filters of the original query, or omit the cursor';
  throw new ApiError('VALIDATION_ERROR', message, {
    details: { fields: [{ field: 'cursor', message, received: text }] },
  });
}

const seal = (body: Buffer, query: object, key: Buffer): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(query)).update(body).digest().subarray(0, SEAL_BYTES);
