import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { components } from '../../api/components.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { compileSchema, schemaErrors } from '../../pipeline/config/schema/schema-errors.js';
import { TestFileSchema } from '../../pipeline/config/schema/test-schema.js';
import { OutlineSchema, queueSchema, SettingsSchema } from '../../pipeline/config/schema/topology-schema.js';
import { EnvironmentSchema } from '../../pipeline/model/environment.js';

/** Values that fit some field or none. */
const part = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  fc.constantFrom(
    0,
    -1,
    1,
    0.1,
    0.3,
    65_536,
    1e9,
    NaN,
    Infinity,
    undefined,
    'auto',
    'a'.repeat(300),
    '😀',
    '\ud800',
  ),
  fc.constantFrom([1, 1], ['a', 'a'], [{}], { a: 1 }, [
    [1, 2],
    [1, 2],
  ]),
);

/** `value` with some parts replaced, left out, added or repeated. */
function mutated(value: unknown, random: () => number, replace: () => unknown): unknown {
  if (random() < 0.1) return structuredClone(replace());
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(item, random, replace));
    return random() < 0.1 ? [...items, structuredClone(items[0])] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(() => random() > 0.1);
  const changed = fields.map(([name, field]) => [name, mutated(field, random, replace)] as const);
  const added = random() < 0.1 ? [['toString', replace()] as const] : [];
  return Object.fromEntries([...changed, ...added]);
}

/** The shipped files of a folder whose names match. */
const shipped = (folder: string, name: RegExp): readonly Record<string, unknown>[] =>
  readdirSync(packageFile(folder))
    .filter((file) => name.test(file))
    .map((file) => parse(readFileSync(join(packageFile(folder), file), 'utf8')) as Record<string, unknown>);

const topologies = shipped('topologies', /^[^.]+\.yaml$/);
const files = [
  { title: 'a topology', schema: OutlineSchema, values: topologies },
  { title: 'settings', schema: SettingsSchema, values: topologies.map(({ settings = {} }) => settings) },
  { title: 'tests', schema: TestFileSchema, values: shipped('topologies', /\.test\.yaml$/) },
  {
    title: 'an environment',
    schema: EnvironmentSchema,
    values: shipped('topologies/environments', /\.yaml$/),
  },
  { title: 'a queue', schema: queueSchema(true), values: [{}, { capacity: 3 }] },
  { title: 'a live queue', schema: queueSchema(false), values: [{}, { capacity: 3 }] },
];

/** What few components have: a union, a tuple, a record, a set. */
const unusual = Type.Object({
  union: Type.Optional(
    Type.Union([Type.Array(Type.Integer()), Type.Object({ to: Type.String() }), Type.Null()]),
  ),
  tuple: Type.Optional(Type.Tuple([Type.Number({ multipleOf: 0.01 }), Type.String({ minLength: 2 })])),
  record: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Object({ n: Type.Number({ default: 3 }) })),
  ),
  list: Type.Optional(
    Type.Array(Type.Object({ deep: Type.Boolean({ default: true }) }), { uniqueItems: true }),
  ),
});

describe('a value is valid by TypeBox exactly if it is by ajv, with the same defaults:', () => {
  const examples = components.list().map(({ kind, name, config, examples: of }) => ({
    title: `${kind} ${name}`,
    schema: config,
    values: of.map((example) => example.config as unknown),
  }));
  const own = {
    title: 'union, tuple and record',
    schema: unusual,
    values: [
      { union: [1], tuple: [0.25, 'ab'], record: { a: {} }, list: [{}, { deep: false }] },
      { union: { to: 'x' } },
    ],
  };
  test.each([...examples, ...files, own])('$title', ({ schema, values }) => {
    const validate = compileSchema(schema);
    const names = ['unknown', ...Object.keys((schema as { properties: object }).properties)];
    fc.assert(
      fc.property(
        fc.constantFrom(...values),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.infiniteStream(part),
        fc.constantFrom(...names),
        (value, numbers, parts, name) => {
          const random = () => numbers.next().value as number;
          const replace = () => parts.next().value as unknown;
          const one = mutated(value, random, replace);
          if (random() < 0.3 && typeof one === 'object' && one !== null)
            Object.assign(one, { [name]: replace() });
          const other = structuredClone(one);
          const isValid = validate(one);
          expect(schemaErrors(other, schema).length === 0).toBe(isValid);
          expect(other).toEqual(one);
        },
      ),
      { numRuns: 60 },
    );
  });
});
