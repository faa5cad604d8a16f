import { service, serviceInFormA } from '../state/session.js';

export type Value = string | number | boolean;
export type Form = 'a' | 'b';

/** The part of JSON Schema that `/config/schema` uses. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string;
  readonly readOnly?: boolean;
  readonly 'x-name'?: string;
  readonly 'x-takes-effect'?: string;
  readonly 'x-no-effect'?: string;
}

export interface Field {
  /** Dotted, in its form. */
  readonly path: string;
  readonly title: string;
  readonly schema: Schema;
  readonly value: Value;
  /** The value without changes. */
  readonly fallback: Value;
}

/** Fields that one call changes. */
export interface Group {
  readonly form: Form;
  readonly title: string;
  readonly fields: readonly Field[];
}

export interface Settings {
  /** Version of the values, for `If-Match`. */
  readonly tag: string;
  readonly groups: readonly Group[];
}

/** The fields of Form B, and those that only Form A has. @throws ServiceError */
export async function loadSettings(): Promise<Settings> {
  const [b, a, values, valuesOfA] = await Promise.all([
    schemaOf('b'),
    schemaOf('a'),
    service().rest.GET('/config'),
    serviceInFormA().rest.GET('/config'),
  ]);
  const known = fieldsIn(b.schema, b.defaults, values.data!.data);
  const names = new Set(known.map(({ schema }) => schema['x-name']));
  const others = fieldsIn(a.schema, a.defaults, valuesOfA.data!).filter(
    ({ schema }) => !names.has(schema['x-name']),
  );
  return {
    tag: values.response.headers.get('ETag') ?? '*',
    groups: [...groupsOf('b', known), ...groupsOf('a', others)],
  };
}

async function schemaOf(form: Form): Promise<{ readonly schema: Schema; readonly defaults: object }> {
  const { data } = await service().rest.GET('/config/schema', { params: { query: { form } } });
  const { schema, defaults } = data!.data;
  return { schema, defaults };
}

/** Sets fields of a form, by path. Returns whether that requires a restart. @throws ServiceError */
export async function saveFields(
  form: Form,
  tag: string,
  changes: ReadonlyMap<string, Value>,
): Promise<boolean> {
  const body = {};
  for (const [path, value] of changes) put(body, path.split('.'), value);
  const params = { header: { 'If-Match': tag } };
  if (form === 'b') {
    const { data } = await service().rest.PUT('/config', { params, body });
    return data!.data.requires_restart;
  }
  const { data } = await serviceInFormA().rest.PUT('/config', { params, body });
  return data!.restart_required;
}

function fieldsIn(schema: Schema, defaults: object, values: object): readonly Field[] {
  const found: Field[] = [];
  const collect = (inner: Schema, path: readonly string[]): void => {
    if (inner.properties)
      for (const [name, next] of Object.entries(inner.properties)) collect(next, [...path, name]);
    else
      found.push({
        path: path.join('.'),
        title: titleOf(path.length > 1 ? path.slice(1) : path),
        schema: inner,
        value: at(values, path),
        fallback: at(defaults, path),
      });
  };
  collect(schema, []);
  return found;
}

function groupsOf(form: Form, fields: readonly Field[]): readonly Group[] {
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    const [first, second] = field.path.split('.');
    const title = second === undefined ? 'General' : titleOf([first!]);
    groups.set(title, [...(groups.get(title) ?? []), field]);
  }
  return [...groups].map(([title, own]) => ({ form, title, fields: own }));
}

/** `alert_thresholds`, `fall_confidence`: "Alert thresholds: fall confidence". */
function titleOf(path: readonly string[]): string {
  const words = path.map((name) => name.replaceAll('_', ' ').replace(/\b(gpu|csi|mqtt)\b/g, upper));
  const title = words.join(': ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

const upper = (word: string): string => word.toUpperCase();

const at = (tree: object, path: readonly string[]): Value =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], tree) as Value;

function put(tree: Record<string, unknown>, [name, ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) tree[name!] = value;
  else put((tree[name!] ??= {}) as Record<string, unknown>, rest, value);
}
