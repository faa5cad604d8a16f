import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { ApiError, type FieldError } from '../../service/errors.js';
import { fromIsoTime } from '../../../pipeline/base/iso-time.js';

/** `verbose`: a schema with a `pattern` explains it in `x-expected`. */
const shared = { useDefaults: true, strict: false, verbose: true };
/** Converts text of a query to the numbers and booleans of its schema; bodies are not converted. */
const forQueries = addFormats(new Ajv({ ...shared, allErrors: true, coerceTypes: true }));
const forBodies = addFormats(new Ajv({ ...shared, allErrors: true }));
/** For bodies with very many values, and so possibly as many faults: `x-first-error-only` in their schema. */
const forLargeBodies = addFormats(new Ajv(shared));
const compiled = new WeakMap<TSchema, ValidateFunction>();

/** @throws ApiError 422 with each invalid field. Nothing is clamped, and unknown fields are rejected. */
export function checkQuery(schema: TSchema | undefined, query: Readonly<Record<string, unknown>>): unknown {
  return check(forQueries, schema ?? NO_FIELDS, { ...query });
}

/**
 * @param shown whether errors quote the input; not if it may contain a password, also in a misspelt field
 * @throws ApiError like {@link checkQuery}. An absent body counts as `{}`.
 */
export function checkBody(schema: TSchema | undefined, body: unknown, shown = true): unknown {
  if (!schema) return null;
  const ajv = 'x-first-error-only' in schema ? forLargeBodies : forBodies;
  return check(ajv, schema, body === undefined ? {} : body, shown);
}

const NO_FIELDS: TSchema = { type: 'object', properties: {}, additionalProperties: false };

/**
 * Limits that prevent an answer from growing with the input: errors of one call, characters of a name or
 * text, parts of a value, and depth.
 */
const [MAX_ERRORS, MAX_CHARACTERS, MAX_PARTS, MAX_LEVELS] = [20, 256, 10, 4];

function check(ajv: Ajv, schema: TSchema, value: unknown, shown = true): unknown {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return value;
  const errors = nearest(validate.errors ?? []).slice(0, MAX_ERRORS);
  const fields = errors.map((error) => fieldError(error, shown ? value : null));
  const first = fields[0]!;
  throw new ApiError('VALIDATION_ERROR', `${first.field}: ${first.message}`, { details: { fields } });
}

/** For unions, the faults of the most likely intended branch come first: they lie deepest. */
function nearest(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (!errors.some(({ keyword }) => keyword === 'anyOf')) return errors;
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  const vague = ({ keyword }: ErrorObject): number => Number(keyword === 'type' || keyword === 'anyOf');
  return [...errors].sort((a, b) => depth(b) - depth(a) || vague(a) - vague(b));
}

function fieldError(error: ErrorObject, value: unknown): FieldError {
  const { field, message, received } = wholeFieldError(error, value);
  return { field: field.slice(0, MAX_CHARACTERS), message, received: excerpt(received, MAX_LEVELS) };
}

function excerpt(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_CHARACTERS);
  if (!isRecord(value)) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_PARTS).map((part) => excerpt(part, levels - 1));
  const entries = Object.entries(value).slice(0, MAX_PARTS);
  return Object.fromEntries(
    entries.map(([name, part]) => [name.slice(0, MAX_CHARACTERS), excerpt(part, levels - 1)]),
  );
}

function wholeFieldError(error: ErrorObject, value: unknown): FieldError {
  const parts = error.instancePath.split('/').slice(1);
  const params = error.params as Readonly<Record<string, unknown>>;
  if (error.keyword === 'additionalProperties') {
    const field = String(params['additionalProperty']);
    return {
      field: [...parts, field].join('.'),
      message: 'unknown field',
      received: at(value, [...parts, field]),
    };
  }
  if (error.keyword === 'required') {
    return {
      field: [...parts, String(params['missingProperty'])].join('.'),
      message: 'is required',
      received: null,
    };
  }
  return { field: parts.join('.') || 'body', message: messageOf(error), received: at(value, parts) };
}

function messageOf({ keyword, params, message, parentSchema }: ErrorObject): string {
  const { format, allowedValues } = params as { format?: string; allowedValues?: readonly unknown[] };
  if (format === 'date-time') {
    return 'must be a time such as 2026-03-01T00:00:00Z; in a URL, write the + of an offset as %2B';
  }
  if (allowedValues) return `must be one of ${allowedValues.map(String).join(', ')}`;
  const expected: unknown = parentSchema?.['x-expected'];
  return keyword === 'pattern' && typeof expected === 'string' ? expected : (message ?? 'is not valid');
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : null),
    value,
  );

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function addFormats(ajv: Ajv): Ajv {
  ajv.addFormat('date-time', (text: string) => !Number.isNaN(fromIsoTime(text)));
  return ajv;
}
