import type { ErrorObject } from 'ajv';
import { allowsType, type JsonSchema } from './json-schema.js';
import type { Tree } from '../reading/tree.js';
import { convert, readQuantity, splitUnit } from './units.js';

/** A field that exists with another unit, and the converted value: `length: 1s` is `length_ms: 1000`. */
export function withUnit(
  name: string,
  value: Tree,
  known: readonly string[],
): { field: string; text: string } | undefined {
  const written = splitUnit(name);
  const quantity =
    value.kind === 'scalar' && typeof value.value === 'string' ? readQuantity(value.value) : undefined;
  for (const field of known) {
    const { stem, unit } = splitUnit(field);
    if (unit === '' || stem !== written.stem || field === name) continue;
    const number = value.kind === 'scalar' && typeof value.value === 'number' ? value.value : undefined;
    const inUnit = quantity
      ? convert(quantity.value, quantity.unit, unit)
      : number === undefined || written.unit === ''
        ? undefined
        : convert(number, written.unit, unit);
    return { field, text: inUnit === undefined ? field : `${field}: ${inUnit}` };
  }
  return undefined;
}

/** The intended value of one with the wrong type, if it can be guessed. */
export function fixType(
  tree: Tree,
  schema: JsonSchema,
  field: string,
): { text: string; unit: boolean } | undefined {
  if (tree.kind !== 'scalar' || tree.origin !== undefined || tree.value === null) return undefined;
  const text = String(tree.value);
  const numeric = allowsType(schema, 'number') || allowsType(schema, 'integer');
  if (numeric && text.trim() !== '' && Number.isFinite(Number(text))) {
    const whole = allowsType(schema, 'number') ? Number(text) : Math.round(Number(text));
    return { text: `${field}: ${whole}`, unit: false };
  }
  const quantity = numeric ? readQuantity(text) : undefined;
  const inUnit = quantity && convert(quantity.value, quantity.unit, splitUnit(field).unit);
  if (quantity) return { text: `${field}: ${inUnit ?? quantity.value}`, unit: true };
  if (allowsType(schema, 'boolean') && /^(yes|no|on|off|true|false)$/i.test(text)) {
    return { text: `${field}: ${/^(yes|on|true)$/i.test(text)}`, unit: false };
  }
  if (schema['commandLine'] === true && text.trim() !== '') return { text: commandWords(text), unit: false };
  if (schema.type === 'array' && (schema.minItems ?? 0) <= 1 && tree.text !== '' && !tree.text.includes('\n'))
    return { text: `[${tree.text}]`, unit: false };
  if (allowsType(schema, 'string')) return { text: `${field}: ${JSON.stringify(text)}`, unit: false };
  return undefined;
}

/** A command written as one text, as a list of words; by a shell if only a shell understands it. */
const commandWords = (text: string): string =>
  JSON.stringify(/[^\w\s./:=,@%+-]/.test(text) ? ['sh', '-c', text] : text.trim().split(/\s+/));

export function describeForm(error: ErrorObject, schema: JsonSchema): string {
  if (error.keyword === 'format') return `must be a ${schema.format ?? ''}`;
  const { minLength = 0, maxLength } = schema;
  if (minLength === 1 && error.keyword === 'minLength') return 'must not be empty';
  return `must have ${minLength} to ${maxLength ?? 'any number of'} characters`;
}

export const sentence = (text: string): string => text.split('\n', 1)[0]!.replace(/\.$/, '');
