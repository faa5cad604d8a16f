import { Type } from 'typebox';
import { PORTS } from '../../pipeline/model/index.js';
import type { DeadLetter } from '../../pipeline/state/index.js';
import { isoTime } from '../../pipeline/base/iso-time.js';

const closed = { additionalProperties: false } as const;

const fields = {
  id: Type.Integer(),
  node: Type.String(),
  stage: Type.String(),
  code: Type.String(),
  reason: Type.String(),
  port: Type.Union([Type.String(), Type.Null()]),
  at: Type.String({ format: 'date-time' }),
  attempts: Type.Integer(),
  replay_asked: Type.Boolean(),
};

/** A dead letter in lists: without its record. */
export const LetterSchema = Type.Object(fields, closed);

/** A dead letter with its record: plain JSON, bytes as base64 text, NaN as null. */
export const WholeLetterSchema = Type.Object({ ...fields, record: Type.Unknown() }, closed);

export const ReplaySchema = Type.Object(
  {
    replayed: Type.Array(Type.Integer()),
    refused: Type.Array(Type.Object({ id: Type.Integer(), reason: Type.String() }, closed)),
  },
  closed,
);

export const letterBody = ({
  id,
  node,
  stage,
  code,
  reason,
  record,
  at,
  attempts,
  replayAsked,
}: DeadLetter) => ({
  id,
  node,
  stage,
  code,
  reason,
  port: portOf(record),
  at: isoTime(at),
  attempts,
  replay_asked: replayAsked,
});

export const wholeLetterBody = (letter: DeadLetter) => ({
  ...letterBody(letter),
  record: plain(letter.record),
});

/** Null for data without a port. */
const portOf = (record: unknown): string | null =>
  typeof record === 'object' && record !== null && 'port' in record
    ? (PORTS.find((port) => port === record.port) ?? null)
    : null;

/** Typed arrays as lists, bytes as base64 text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}
