import { PLAIN_SHAPES, type Port, type Shape } from '../../pipeline/model/index.js';

/**
 * Records as seen by expressions: each plain record and each map in it is an instance of a separate class, by
 * which the expression language identifies its type. Times are `Date`s; null values in a map of fields are
 * absent.
 */
export interface RecordType {
  readonly name: string;
  readonly constructor: new (fields: object) => object;
  /** Types by field, in CEL's terms. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Types of values of a shape, and their conversion for expressions. */
interface Kind {
  readonly type: string;
  readonly view: (value: unknown) => unknown;
}

const LEAVES = {
  text: 'string',
  number: 'double',
  boolean: 'bool',
  time: 'google.protobuf.Timestamp',
  value: 'dyn',
  any: 'map<string, dyn>',
} as const;

function kindOf(name: string, shape: Shape): Kind {
  if (shape === 'time') return { type: LEAVES.time, view: (value) => new Date(value as string) };
  if (typeof shape === 'string') return { type: LEAVES[shape], view: (value) => value };
  if (Array.isArray(shape)) {
    const { type, view } = kindOf(`${name}Entry`, (shape as readonly [Shape])[0]);
    return { type: `list<${type}>`, view: (value) => (value as readonly unknown[]).map(view) };
  }
  return mapKind(name, shape as { readonly [field: string]: Shape });
}

function mapKind(name: string, shape: { readonly [field: string]: Shape }): Kind {
  const fields = Object.entries(shape).map(
    ([field, inner]) => [field, kindOf(name + capital(field), inner), inner] as const,
  );
  const constructor = class extends Object {
    constructor(plain: object) {
      super();
      fillIn(this, plain as Readonly<Record<string, unknown>>, fields);
    }
  };
  types.push({
    name,
    constructor,
    fields: Object.fromEntries(fields.map(([field, { type }]) => [field, type])),
  });
  return { type: name, view: (value) => new constructor(value as object) };
}

type ViewField = readonly [name: string, kind: Kind, shape: Shape];

function fillIn(view: object, plain: Readonly<Record<string, unknown>>, fields: readonly ViewField[]): void {
  for (const [field, { view: viewOfField }, shape] of fields) {
    const value = plain[field];
    // Null is a value if the field may have any type; if a map or a number is unknown, the field is absent.
    if (value === null && shape !== 'value') continue;
    (view as Record<string, unknown>)[field] = value === null ? null : viewOfField(value);
  }
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const types: RecordType[] = [];
const kinds = Object.fromEntries(
  Object.entries(PLAIN_SHAPES).map(([port, shape]) => [port, kindOf(capital(port), shape)]),
) as Readonly<Record<Port, Kind>>;

export const RECORD_TYPES = {
  all: types,
  of: Object.fromEntries(Object.entries(kinds).map(([port, { type }]) => [port, type])) as Readonly<
    Record<Port, string>
  >,
  /** Names of the fields of a port's records, without those of their parts. */
  fieldsOf: (port: Port): readonly string[] =>
    Object.keys(types.find(({ name }) => name === kinds[port].type)?.fields ?? {}),
  /** Names of all fields, for suggestions. */
  fields: new Set(types.flatMap(({ fields }) => Object.keys(fields))),
  /** Types for people. */
  words: new Map<string, string>([
    ['string', 'a text'],
    ['double', 'a number'],
    ['int', 'a whole number'],
    ['bool', 'true or false'],
    ['google.protobuf.Timestamp', 'a time'],
    ['google.protobuf.Duration', 'a duration'],
    ...types.map(({ name }): [string, string] => [name, 'a map of fields']),
  ]),
} as const;

/** The fields of records in words for editors, a line of Markdown each port. */
export const fieldsInMarkdown = (ports: readonly Port[]): string =>
  ports
    .map((port) => {
      const names = pathsOf(RECORD_TYPES.of[port]).map((path) => `\`${path}\``);
      return `- \`${port}\`: ${names.join(', ')}`;
    })
    .join('\n');

/** `location.x` of a map of fields, `persons[].posture` of a list of maps. */
function pathsOf(type: string): readonly string[] {
  const { fields } = types.find(({ name }) => name === type)!;
  return Object.entries(fields).flatMap(([field, of]) => {
    const entry = /^list<(\w+)>$/.exec(of)?.[1];
    const inner = entry ?? of;
    if (!types.some(({ name }) => name === inner)) return [field];
    return pathsOf(inner).map((path) => `${field}${entry === undefined ? '' : '[]'}.${path}`);
  });
}

export const viewOf = (port: Port, record: unknown): unknown => kinds[port].view(record);
