import { Type, type TObject } from 'typebox';
import { at, objectOf, pathOf, put, type Tree } from './configuration.js';
import type { Form } from '../service/form.js';
import type { Field, Value } from '../service/configuration/field.js';

/** Fields that a start can set, by their path in `configuration`; their values are those of Form B. */
const PATHS: Readonly<Record<Form, readonly (readonly [string, string])[]>> = {
  a: [
    ['domain', 'domain'],
    ['environment_id', 'environment_id'],
  ],
  b: [
    ['domain', 'domain'],
    ['environment_id', 'environment_id'],
    ['detection_settings.confidence_threshold', 'detection.confidence_threshold'],
    ['detection_settings.max_persons', 'detection.max_persons'],
    ['detection_settings.enable_tracking', 'detection.enable_tracking'],
    ['hardware_settings.csi_sampling_rate', 'hardware.csi_sampling_rate'],
    ['hardware_settings.buffer_size', 'hardware.buffer_size'],
  ],
};

const leavesOf = (fields: readonly Field[], form: Form) =>
  PATHS[form].map(([path, name]) => {
    const { views } = fieldNamed(fields, name);
    return { path: path.split('.'), schema: (views.b ?? views.a)!.schema };
  });

const calibrationRequired = Type.Boolean({
  description:
    'Start only if the pose networks, and the nodes that calibrate frames, have a calibration of their room.',
});

/** `configuration` in the body of a start. */
export const startConfigurations = (fields: readonly Field[]): Readonly<Record<Form, TObject>> => ({
  a: objectOf(
    [...leavesOf(fields, 'a'), { path: ['calibration_required'], schema: calibrationRequired }],
    true,
  ),
  b: objectOf(leavesOf(fields, 'b'), true),
});

/** Settings requested with a start. */
export function startFields(
  fields: readonly Field[],
  form: Form,
  configuration: object,
): ReadonlyMap<Field, Value> {
  return new Map(
    PATHS[form].flatMap(([path, name]) => {
      const sent = at(configuration, path.split('.'));
      return sent === undefined ? [] : [[fieldNamed(fields, name), sent as Value] as const];
    }),
  );
}

/** Path of a field in the body of a start, for errors. */
export const startPathOf = (field: Field): string => {
  const path = PATHS.b.find(([, name]) => name === field.name)?.[0];
  return `configuration.${path ?? pathOf(field, 'b')}`;
};

/** The configuration of a start, as sent. */
export function startBody(fields: ReadonlyMap<Field, Value>): object {
  const values = new Map([...fields].map(([{ name }, value]) => [name, value]));
  const body: Tree = {};
  for (const [path, name] of PATHS.b) {
    const value = values.get(name);
    if (value !== undefined) put(body, path.split('.'), value);
  }
  return body;
}

function fieldNamed(fields: readonly Field[], name: string): Field {
  const found = fields.find((field) => field.name === name);
  if (!found) throw new RangeError(`the configuration has no field ${name}`);
  return found;
}
