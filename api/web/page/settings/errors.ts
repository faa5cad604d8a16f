import { errorText, ServiceError } from '../../../client/errors.js';

export interface Complaints {
  /** By path of the field. */
  readonly fields: ReadonlyMap<string, string>;
  /** What concerns no field; empty if there is nothing. */
  readonly text: string;
}

export const NO_COMPLAINTS: Complaints = { fields: new Map(), text: '' };

interface Details {
  readonly field?: string;
  readonly reason?: string;
  readonly field_errors?: readonly { readonly field: string; readonly message: string }[];
}

/** The fields that an error of either form names. */
export function complaintsOf(error: unknown): Complaints {
  const {
    field,
    reason,
    field_errors: several,
  }: Details = error instanceof ServiceError ? error.details : {};
  const fields = several?.map((one) => [one.field, one.message] as const) ?? [];
  if (field !== undefined && reason !== undefined) return { fields: new Map([[field, reason]]), text: '' };
  return { fields: new Map(fields), text: fields.length > 0 ? '' : errorText(error) };
}
