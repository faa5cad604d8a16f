import { Type } from 'typebox';
import type { ApiError, FieldError, ErrorDetails, Situation } from '../service/errors.js';
import type { Form } from '../service/form.js';

/** Error codes of the service interface, with the HTTP status of each. */
export const STATUS_OF = {
  BAD_REQUEST: 400,
  AUTHENTICATION_ERROR: 401,
  AUTHORIZATION_ERROR: 403,
  POSE_DATA_NOT_FOUND: 404,
  RESOURCE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  RESOURCE_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  PRECONDITION_FAILED: 412,
  MISDIRECTED: 421,
  VALIDATION_ERROR: 422,
  RATE_LIMIT_EXCEEDED: 429,
  HEADERS_TOO_LARGE: 431,
  SYSTEM_ERROR: 500,
  HARDWARE_ERROR: 502,
  MODEL_ERROR: 503,
  SYSTEM_NOT_READY: 503,
  TIMEOUT: 504,
} as const satisfies Record<Situation, number>;

/** The HTTP status of its answer. */
export const statusOf = ({ situation }: ApiError): number => STATUS_OF[situation];

/** Situations with a status in the contract but without a code. */
const CODE_OF: Partial<Record<Situation, string>> = {
  BAD_REQUEST: 'VALIDATION_ERROR',
  METHOD_NOT_ALLOWED: 'VALIDATION_ERROR',
  REQUEST_TIMEOUT: 'VALIDATION_ERROR',
  HEADERS_TOO_LARGE: 'VALIDATION_ERROR',
  PAYLOAD_TOO_LARGE: 'VALIDATION_ERROR',
  PRECONDITION_FAILED: 'RESOURCE_CONFLICT',
  MISDIRECTED: 'VALIDATION_ERROR',
  SYSTEM_NOT_READY: 'SYSTEM_ERROR',
};

/** The field in situations answered with VALIDATION_ERROR: 7.2 requires a field and a reason. */
const PART_OF: Partial<Record<Situation, string>> = {
  BAD_REQUEST: 'body',
  METHOD_NOT_ALLOWED: 'method',
  REQUEST_TIMEOUT: 'request',
  HEADERS_TOO_LARGE: 'headers',
  PAYLOAD_TOO_LARGE: 'body',
  MISDIRECTED: 'Host',
  VALIDATION_ERROR: 'body',
};

function fieldsOf({ situation, message, details }: ApiError): readonly FieldError[] | undefined {
  const field = PART_OF[situation];
  return details.fields ?? (field === undefined ? undefined : [{ field, message, received: null }]);
}

const closed = { additionalProperties: false } as const;
const Timestamp = Type.String({ format: 'date-time' });
const described = { code: Type.String(), message: Type.String() };
const NullableTime = Type.Union([Timestamp, Type.Null()]);
const RangeSchema = Type.Object({ start: NullableTime, end: NullableTime }, closed);
const shared = {
  current_status: Type.Optional(Type.String()),
  requested_range: Type.Optional(RangeSchema),
  available_range: Type.Optional(RangeSchema),
};

/** Error body of Form A, with the details of its codes. */
export const ErrorASchema = Type.Object(
  {
    error: Type.Object(
      {
        ...described,
        details: Type.Object(
          {
            field_errors: Type.Optional(
              Type.Array(
                Type.Object(
                  { field: Type.String(), message: Type.String(), received_value: Type.Unknown() },
                  closed,
                ),
              ),
            ),
            limit: Type.Optional(Type.Integer()),
            window_seconds: Type.Optional(Type.Integer()),
            reset_time: Type.Optional(Timestamp),
            ...shared,
          },
          closed,
        ),
        timestamp: Timestamp,
        request_id: Type.String(),
      },
      closed,
    ),
  },
  closed,
);

/** The same, Form B. */
export const ErrorBSchema = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.Object(
      {
        ...described,
        details: Type.Object(
          {
            field: Type.Optional(Type.String()),
            reason: Type.Optional(Type.String()),
            limit: Type.Optional(Type.Integer()),
            window: Type.Optional(Type.Integer()),
            reset_at: Type.Optional(Timestamp),
            ...shared,
          },
          closed,
        ),
      },
      closed,
    ),
    timestamp: Timestamp,
    request_id: Type.String(),
  },
  closed,
);

/** The code in its answer. */
export const codeOf = ({ situation }: ApiError): string => CODE_OF[situation] ?? situation;

/** Error body in either form. */
export function errorBody(form: Form, error: ApiError, timestamp: string, requestId: string): object {
  const code = codeOf(error);
  const fields = fieldsOf(error);
  const facts = { ...error.details, ...(fields && { fields }) };
  const details = form === 'a' ? detailsA(facts) : detailsB(facts);
  return form === 'a'
    ? { error: { code, message: error.message, details, timestamp, request_id: requestId } }
    : { success: false, error: { code, message: error.message, details }, timestamp, request_id: requestId };
}

function detailsA({ fields, limit, ranges, state }: ErrorDetails): object {
  return {
    ...(state !== undefined && { current_status: state }),
    ...(fields && {
      field_errors: fields.map(({ field, message, received }) => ({
        field,
        message,
        received_value: received ?? null,
      })),
    }),
    ...(limit && { limit: limit.limit, window_seconds: limit.windowSeconds, reset_time: limit.resetAt }),
    ...(ranges && { requested_range: ranges.requested, available_range: ranges.available }),
  };
}

function detailsB({ fields, limit, ranges, state }: ErrorDetails): object {
  const first = fields?.[0];
  return {
    ...(state !== undefined && { current_status: state }),
    ...(first && { field: first.field, reason: first.message }),
    ...(limit && { limit: limit.limit, window: limit.windowSeconds, reset_at: limit.resetAt }),
    ...(ranges && { requested_range: ranges.requested, available_range: ranges.available }),
  };
}
