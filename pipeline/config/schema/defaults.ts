import type { JsonSchema } from './json-schema.js';

/**
 * Adds the defaults of fields that are missing, in place, at any depth. As in ajv, branches of a union have no
 * defaults.
 */
export function fillDefaults(value: unknown, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items && !Array.isArray(items)) for (const item of value) fillDefaults(item, items);
  } else if (isFields(value)) fillFields(value, schema);
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function fillFields(
  value: Record<string, unknown>,
  { properties = {}, patternProperties = {}, additionalProperties }: JsonSchema,
): void {
  for (const [name, field] of Object.entries(properties)) {
    if (value[name] === undefined && field.default !== undefined)
      value[name] = structuredClone(field.default);
    fillDefaults(value[name], field);
  }
  const patterns = Object.entries(patternProperties).map(
    ([pattern, rest]) => [new RegExp(pattern, 'u'), rest] as const,
  );
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) continue;
    const matching = patterns.filter(([pattern]) => pattern.test(name));
    for (const [, rest] of matching) fillDefaults(value[name], rest);
    if (matching.length === 0 && typeof additionalProperties === 'object')
      fillDefaults(value[name], additionalProperties);
  }
}
