import type { Call } from '../../contract/endpoint.js';
import type { Change, Configuration } from '../../service/configuration/configuration.js';
import { RefusedError } from '../../service/configuration/refusals.js';
import type { Field, Value } from '../../service/configuration/field.js';
import { ApiError } from '../../service/errors.js';

/**
 * Sets fields of the configuration.
 * @param name of a field, for errors
 * @throws ApiError 422
 */
export function setFields(
  configuration: Configuration,
  fields: ReadonlyMap<Field, Value>,
  { account }: Call<'configuration'>,
  name: (field: Field) => string,
): Change {
  return orRefused(name, () => configuration.change(fields, account?.name ?? 'nobody'));
}

function orRefused<T>(name: (field: Field) => string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw refused(error.refusals.map(({ field, ...rest }) => ({ field: name(field), ...rest })));
  }
}

/** @throws ApiError 422 with the fields that are invalid or would have no effect, and the missing nodes */
export function requireEffect(
  configuration: Configuration,
  fields: ReadonlyMap<Field, Value>,
  name: (field: Field) => string,
): void {
  orRefused(name, () => {
    configuration.requirePossible(fields);
  });
  const idle = configuration.idle(fields);
  if (idle.length === 0) return;
  throw refused(
    idle.map(({ field, missing }) => ({
      field: name(field),
      message: `would have no effect: ${missing}`,
      received: fields.get(field),
    })),
  );
}

function refused(fields: readonly { field: string; message: string; received: unknown }[]): ApiError {
  const [first] = fields;
  return new ApiError('VALIDATION_ERROR', `${first!.field}: ${first!.message}`, { details: { fields } });
}

/** @throws ApiError 412 */
export function requireVersion({ ifMatch, deployment }: Call<'configuration'>): void {
  const { tag } = deployment.configuration;
  if (ifMatch === null || ifMatch.trim() === '*') return;
  if (ifMatch.split(',').some((one) => one.trim() === tag)) return;
  throw new ApiError(
    'PRECONDITION_FAILED',
    `The configuration has changed to version ${tag}: read it again`,
    {
      headers: { ETag: tag },
    },
  );
}
