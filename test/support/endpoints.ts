import type { TSchema } from 'typebox';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import type { AnyEndpoint } from '../../api/contract/endpoint.js';

/** An endpoint in one form. */
export interface Operation {
  readonly endpoint: AnyEndpoint;
  readonly form: 'a' | 'b';
  /** `GET /form-a/api/v1/pose/latest` */
  readonly name: string;
  readonly path: string;
}

/** Every endpoint in each of its forms, including new ones. */
export const OPERATIONS: readonly Operation[] = ENDPOINTS.flatMap((endpoint) =>
  (['a', 'b'] as const)
    .filter((form) => endpoint[form] !== undefined)
    .map((form) => {
      const path = `/form-${form}/api/v1${endpoint.path}`;
      return { endpoint, form, path, name: `${endpoint.method} ${path}` };
    }),
);

/** For `test.each`: `%s` is the name. */
export const named = <T extends { readonly name: string }>(rows: readonly T[]) =>
  rows.map((row) => [row.name, row] as const);

/** The parts of JSON Schema that a schema uses. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** A value that matches the schema, with `text` wherever any text is allowed. */
export function filled(given: TSchema, text: string): unknown {
  const schema = given as Schema;
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return filled(schema.anyOf[0]!, text);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [
          name,
          TIMES[name] ?? filled(field, text),
        ]),
      );
    case 'array':
      return schema.items ? [filled(schema.items, text)] : [];
    case 'string':
      return schema.format === 'date-time' ? TIMES['start_time'] : text;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1;
  }
}

const [START, END] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'];
/** Ends are after starts. */
const TIMES: Readonly<Record<string, string>> = { start_time: START, end_time: END, start: START, end: END };

/** A call of the operation with `text` in every parameter and field where any text is allowed. */
export function callWith(
  { endpoint, form, path }: Operation,
  text: string,
): { readonly path: string; readonly body: string | null } {
  const view = endpoint[form]!;
  const parameters = (schema: TSchema | undefined) =>
    Object.entries(schema ? (filled(schema, text) as Record<string, unknown>) : {});
  let whole = path;
  for (const [name, value] of parameters(view.path))
    whole = whole.replace(`:${name}`, encodeURIComponent(String(value)));
  const query = new URLSearchParams(
    parameters(view.query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return {
    path: query === '' ? whole : `${whole}?${query}`,
    body: view.body ? JSON.stringify(filled(view.body, text)) : null,
  };
}
