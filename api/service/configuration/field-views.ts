import { Type, type TSchema } from 'typebox';
import type { Field } from './field.js';

/** Views shared by many fields. */

export const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
export const Switch = (description: string) => Type.Boolean({ description });

export const both = (path: string, schema: TSchema): Field['views'] => ({
  a: { path, schema },
  b: { path, schema },
});
