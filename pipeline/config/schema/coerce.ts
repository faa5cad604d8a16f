import { allowsType, type JsonSchema } from './json-schema.js';
import type { Tree } from '../reading/tree.js';

/** Converts scalars that come from variables to the schema's type; leaves other values unchanged. */
export function coerce(tree: Tree, schema: JsonSchema): Tree {
  if (tree.kind === 'list') {
    const item = oneOf(schema, 'array').items;
    return item ? { ...tree, items: tree.items.map((inner) => coerce(inner, item)) } : tree;
  }
  if (tree.kind === 'map') {
    const { properties = {}, patternProperties = {}, additionalProperties } = oneOf(schema, 'object');
    const rest =
      Object.values(patternProperties)[0] ??
      (additionalProperties === true ? undefined : additionalProperties);
    const fields = [...tree.fields].map(([name, field]) => {
      const part = Object.hasOwn(properties, name) ? properties[name] : rest;
      return [name, part ? { ...field, value: coerce(field.value, part) } : field] as const;
    });
    return { ...tree, fields: new Map(fields) };
  }
  if (!tree.origin || typeof tree.value !== 'string' || allowsType(schema, 'string')) return tree;
  const value = readAs(tree.value.trim(), schema);
  return value === undefined ? tree : { ...tree, value };
}

/** The branch of a union that has `type`, or the schema itself. */
const oneOf = (schema: JsonSchema, type: string): JsonSchema =>
  schema.anyOf?.find((branch) => branch.type === type) ?? schema;

function readAs(text: string, schema: JsonSchema): number | boolean | null | undefined {
  const numeric = allowsType(schema, 'number') || allowsType(schema, 'integer');
  if (numeric && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (allowsType(schema, 'boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (allowsType(schema, 'null') && (text === 'null' || text === '')) return null;
  return undefined;
}
