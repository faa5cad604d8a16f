import type { TSchema } from 'typebox';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { Field, Value } from './field.js';
import { privacy } from './privacy.js';
import { domain, environment, environmentName, calibration } from './site-fields.js';
import { detection, falls, inactivity } from './detection-fields.js';
import { network, hardware, streaming } from './machine-fields.js';

/** Every field of both forms, in the order in which the forms show them. */
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

/** Whether it can have a value of the configuration's own. */
export const isStored = ({ write, refuse }: Field): boolean => write !== undefined || refuse !== undefined;

/** What a field may be, in the unit in which it is stored. */
export function storedSchema({ name, views }: Field): TSchema {
  const view = [views.b, views.a].find((each) => each && !each.read);
  if (!view) throw new RangeError(`no form shows ${name} as it is stored`);
  return view.schema;
}

/** What is read is measured or loaded, not configured. */
export const isFact = (field: Field, topology: CheckedTopology): boolean =>
  field.fixed !== undefined && field.fixed(topology) !== null;

/** Whether a value that was sent is the one that is there. */
export const sameValue = (field: Field, sent: Value, now: Value, topology: CheckedTopology): boolean =>
  field.isSame && isFact(field, topology) ? field.isSame(sent, now) : sent === now;
