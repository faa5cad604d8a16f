/** The subset of JSON Schema that describes components, as plain JSON. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly markdownEnumDescriptions?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly [keyword: string]: unknown;
}

/**
 * A typebox schema as plain JSON, with each union of literals as one list of words: a wrong word is then one
 * error, not one per branch.
 */
export const jsonSchema = (schema: object): JsonSchema =>
  simplify(JSON.parse(JSON.stringify(schema)) as JsonSchema);

function simplify(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!anyOf) return mapParts(schema);
  if (!anyOf.every((branch) => branch.const !== undefined)) return mapParts(schema);
  const types = [...new Set(anyOf.map((branch) => typeof branch.const))];
  const type = types.length === 1 ? { type: types[0]! } : {};
  const meanings = anyOf.map((branch) => branch.description ?? '');
  const described = meanings.some((meaning) => meaning !== '') ? { markdownEnumDescriptions: meanings } : {};
  return { ...rest, ...type, ...described, enum: anyOf.map((branch) => branch.const) };
}

function mapParts(schema: JsonSchema): JsonSchema {
  const { properties, patternProperties, additionalProperties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties) }),
    ...(patternProperties && { patternProperties: mapValues(patternProperties) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: simplify(additionalProperties) }),
    ...(items && !Array.isArray(items) && { items: simplify(items) }),
    ...(anyOf && { anyOf: anyOf.map(simplify) }),
  };
}

const mapValues = (schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, simplify(schema)]));

/** Fields that a file must have: required ones without a default. */
export const mustBeWritten = (schema: JsonSchema): readonly string[] =>
  (schema.required ?? []).filter((name) => schema.properties?.[name]?.default === undefined);

/** Whether `type` is among the types that a value may have, through unions. */
export function allowsType(schema: JsonSchema, type: string): boolean {
  if (schema.anyOf) return schema.anyOf.some((branch) => allowsType(branch, type));
  if (schema.enum) return schema.enum.some((value) => (value === null ? 'null' : typeof value) === type);
  if (schema.const !== undefined) return typeof schema.const === type;
  return schema.type === undefined || [schema.type].flat().includes(type);
}

/** The type in words: `an integer from 1 to 65535`, `one of linear, spotfi`. */
export function describeType(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(describeType).join(' or ');
  if (schema.enum) return `one of ${schema.enum.map(String).join(', ')}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? []].flat();
  const words = types.map((type) => TYPE_WORDS[type] ?? type).join(' or ') || 'any value';
  const list = schema.type === 'array' && schema.items && !Array.isArray(schema.items);
  const of = list ? ` of ${plural(describeType(schema.items))}` : '';
  return [words + of, describeRange(schema)].filter(Boolean).join(' ');
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of fields',
  null: 'null',
};

const plural = (words: string): string => words.replace(/^an? (\w+)/, '$1s');

/** `from 1 to 65535`, `above 0`, `with 3 entries`; empty if everything is allowed. */
export function describeRange(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minItems, maxItems } = schema;
  const parts: string[] = [];
  if (minimum !== undefined && maximum !== undefined) parts.push(`from ${minimum} to ${maximum}`);
  else if (minimum !== undefined) parts.push(`of at least ${minimum}`);
  else if (maximum !== undefined) parts.push(`of at most ${maximum}`);
  if (exclusiveMinimum !== undefined) parts.push(`above ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined) parts.push(`below ${exclusiveMaximum}`);
  if (schema.multipleOf !== undefined) parts.push(`in steps of ${schema.multipleOf}`);
  if (minItems !== undefined && minItems === maxItems) parts.push(`with ${entries(minItems)}`);
  else if (minItems !== undefined && maxItems !== undefined)
    parts.push(`with ${minItems} to ${entries(maxItems)}`);
  else if (minItems !== undefined && minItems > 0) parts.push(`with at least ${entries(minItems)}`);
  else if (maxItems !== undefined) parts.push(`with at most ${entries(maxItems)}`);
  return parts.join(', ');
}

const entries = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;
