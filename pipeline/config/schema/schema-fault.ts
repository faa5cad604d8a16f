import { errorText } from '../../base/error-text.js';
import { compileSchema, requireSchema } from './schema-errors.js';

/** What is wrong with the schema of a component's configuration, with the name of the field; null: nothing. */
export function schemaFault(config: unknown): string | null {
  const { type, properties } = (config ?? {}) as { readonly type?: unknown; readonly properties?: unknown };
  if (type !== 'object' || typeof properties !== 'object' || properties === null)
    return 'its `config` must be Type.Object({...})';
  for (const [name, field] of Object.entries(properties)) {
    const fault = fieldFault(config as object, name, field);
    if (fault !== null) return `the schema of its field \`${name}\` is not valid: ${fault}`;
  }
  const fault = faultOf(config as object);
  return fault === null ? null : `the schema of its \`config\` is not valid: ${fault}`;
}

function fieldFault(config: object, name: string, field: unknown): string | null {
  if (typeof field !== 'object' || field === null) return `it must be a schema (got ${String(field)})`;
  // Compiled within the rest, so that it may have a default, and refer to other parts of the schema.
  return faultOf(field, { ...config, properties: { [name]: field }, required: [] });
}

function faultOf(schema: object, within = schema): string | null {
  try {
    requireSchema(schema);
    compileSchema(within);
    return null;
  } catch (error) {
    return errorText(error).replace(/^schema is invalid: /, '');
  }
}
