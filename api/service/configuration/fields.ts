import type { TSchema } from 'typebox';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { Field, FieldUse, Value } from './field.js';
import { privacy } from './privacy.js';
import { domain, environment, environmentName, calibration } from './site-fields.js';
import { detection, falls, inactivity } from './detection-fields.js';
import { network, hardware, streaming } from './machine-fields.js';

/** Every field of both forms, in the order of the forms. */
export const FIELDS: readonly Field[] = [
  domain,
  environment,
  environmentName,
  calibration,
  ...detection,
  ...network,
  ...hardware,
  ...falls,
  ...inactivity,
  ...privacy,
  ...streaming,
];

/** Whether the configuration can set it. */
export const isStored = ({ write, refuse }: Field): boolean => write !== undefined || refuse !== undefined;

/** Values of a field, in its stored unit. */
export function storedSchema({ name, views }: Field): TSchema {
  const view = [views.b, views.a].find((each) => each && !each.read);
  if (!view) throw new RangeError(`no form has ${name} in its stored unit`);
  return view.schema;
}

/** It shows a measured or loaded value. */
export const isFact = (field: Field, topology: CheckedTopology): boolean =>
  field.fixed !== undefined && field.fixed(topology) !== null;

/** Whether a sent value equals the current one. */
export const sameValue = (field: Field, sent: Value, now: Value, topology: CheckedTopology): boolean =>
  field.isSame && isFact(field, topology) ? field.isSame(sent, now) : sent === now;

/** What a field accepts and does in a topology. */
export function useOf(field: Field, topology: CheckedTopology): FieldUse {
  const missing = field.missing(topology);
  return {
    bounds: missing === null ? (field.bounds?.(topology) ?? {}) : {},
    missing,
    isFact: isFact(field, topology),
    isImmediate: field.isImmediate?.(topology) ?? false,
  };
}
