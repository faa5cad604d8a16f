import { Type, type TObject, type TSchema } from 'typebox';
import type { Field, FieldUse, FieldView, Value } from '../service/configuration/field.js';
import type { Form } from '../service/form.js';

const closed = { additionalProperties: false } as const;

/** Those of `fields` that a form has, with their views in it. */
const viewsOf = (fields: readonly Field[], form: Form): readonly (readonly [Field, FieldView])[] =>
  fields.flatMap((field) => {
    const view = field.views[form];
    return view ? [[field, view] as const] : [];
  });

/** 2.8: all fields of each form. */
export const configurationSchemas = (fields: readonly Field[]): Readonly<Record<Form, TObject>> => ({
  a: schemaOf(fields, 'a', false),
  b: schemaOf(fields, 'b', false),
});

/** The same with every field optional: the body of a `PUT`. A field of the other form makes it invalid. */
export const partialSchemas = (fields: readonly Field[]): Readonly<Record<Form, TObject>> => ({
  a: schemaOf(fields, 'a', true),
  b: schemaOf(fields, 'b', true),
});

/** A form's shape of the configuration. @param value of a field, as it is stored */
export function configurationBody(
  fields: readonly Field[],
  form: Form,
  value: (field: Field) => Value,
): object {
  const body: Tree = {};
  for (const [field, view] of viewsOf(fields, form))
    put(body, view.path.split('.'), shown(view, value(field)));
  return body;
}

/**
 * A form's schema of the configuration: values limited to those that the topology accepts, with
 * `x-takes-effect`, `x-no-effect` and `x-name` (docs/configuration.md).
 */
export function schemaInUse(fields: readonly Field[], form: Form, use: (field: Field) => FieldUse): object {
  const leaves = viewsOf(fields, form).map(([field, { path, schema }]) => ({
    path: path.split('.'),
    schema: { ...schema, ...annotations(field, use(field)) },
  }));
  return JSON.parse(JSON.stringify(objectOf(leaves, false))) as object;
}

const annotations = ({ name }: Field, { bounds, missing, isFact, isImmediate }: FieldUse): object => ({
  ...bounds,
  'x-name': name,
  ...(isFact && { readOnly: true }),
  ...(!isFact && { 'x-takes-effect': isImmediate ? 'immediately' : 'next start' }),
  ...(missing !== null && { 'x-no-effect': missing }),
});

/** Fields of a checked body, in their stored form. */
export function fieldsOf(fields: readonly Field[], form: Form, body: object): ReadonlyMap<Field, Value> {
  const found = new Map<Field, Value>();
  for (const [field, view] of viewsOf(fields, form)) {
    const sent = at(body, view.path.split('.'));
    if (sent !== undefined) found.set(field, view.read ? view.read(sent as Value) : (sent as Value));
  }
  return found;
}

/** Path of a field in a form; in the other one if the form does not have it. */
export const pathOf = ({ views, name }: Field, form: Form): string =>
  (views[form] ?? views.a ?? views.b)?.path ?? name;

/** Value of a field in a form. */
export function shownAs({ views }: Field, form: Form, value: Value): Value {
  const view = views[form] ?? views.a ?? views.b;
  return view ? shown(view, value) : value;
}

const shown = (view: FieldView, value: Value): Value => (view.show ? view.show(value) : value);

/** A body under construction. */
export interface Tree {
  [name: string]: Tree | Value;
}

export function put(tree: Tree, path: readonly string[], value: Value): void {
  const [name, ...rest] = path;
  if (rest.length === 0) tree[name!] = value;
  else put((tree[name!] ??= {}) as Tree, rest, value);
}

/** Value at a path of a checked body; undefined if there is none. */
export const at = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    tree,
  );

function schemaOf(fields: readonly Field[], form: Form, partial: boolean): TObject {
  return objectOf(
    viewsOf(fields, form).map(([, { path, schema }]) => ({ path: path.split('.'), schema })),
    partial,
  );
}

/** A field of an object under construction. */
export interface Leaf {
  readonly path: readonly string[];
  readonly schema: TSchema;
}

/** A closed object of leaves at dotted paths. @param partial all are optional */
export function objectOf(leaves: readonly Leaf[], partial: boolean): TObject {
  const names = [...new Set(leaves.map(({ path }) => path[0]!))];
  const properties = names.map((name) => {
    const own = leaves.filter(({ path }) => path[0] === name);
    const [first] = own;
    const inner = own.map(({ path, schema }) => ({ path: path.slice(1), schema }));
    const schema = first!.path.length === 1 ? first!.schema : objectOf(inner, partial);
    return [name, partial ? Type.Optional(schema) : schema] as const;
  });
  return Type.Object(Object.fromEntries(properties), closed);
}
