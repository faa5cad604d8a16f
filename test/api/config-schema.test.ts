import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bench, WHOLE, type Bench } from './config-support.js';
import { openService, type TestService } from './support.js';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly readOnly?: boolean;
  readonly 'x-name'?: string;
  readonly 'x-takes-effect'?: string;
  readonly 'x-no-effect'?: string;
}

let [made, small]: (Bench | undefined)[] = [];
const services: TestService[] = [];

beforeAll(async () => {
  made = bench(WHOLE);
  small = bench({
    sources: { flat: { type: 'simulator' } },
    operators: { links: { type: 'measure-links', from: 'flat' } },
    sinks: { out: { type: 'console', from: 'links' } },
  });
  for (const { runner } of [made, small]) services.push(await openService(undefined, { main: runner }));
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  await Promise.all([made?.close(), small?.close()]);
});

/** Fields by their path in a form. */
async function fieldsOf(service: TestService, form: 'a' | 'b'): Promise<ReadonlyMap<string, Schema>> {
  const answer = await service.get(`/form-b/api/v1/config/schema?form=${form}`, service.token('viewer'));
  const { data } = (await answer.json()) as { data: { schema: Schema } };
  const leaves = (schema: Schema, path: string): (readonly [string, Schema])[] =>
    schema.properties
      ? Object.entries(schema.properties).flatMap(([name, inner]) =>
          leaves(inner, path === '' ? name : `${path}.${name}`),
        )
      : [[path, schema]];
  return new Map(leaves(data.schema, ''));
}

/** `| form A | form B | ... | takes effect |` of docs/configuration.md. */
const documented = (column: 1 | 2): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => cells.length === 6 && cells[column]!.startsWith('`'))
      .map((cells) => [cells[column]!.replaceAll('`', ''), cells[4]!]),
  );

test.each([
  ['a', 1],
  ['b', 2],
] as const)(
  'the schema of form %s says when each field takes effect, as its page does',
  async (form, column) => {
    const fields = await fieldsOf(services[0]!, form);
    const said = [...fields].map(([path, schema]) => [
      path,
      schema.readOnly ? 'read only' : schema['x-takes-effect'],
    ]);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(documented(column)));
  },
);

test('a field has the same name in both forms, and none has two', async () => {
  const [a, b] = await Promise.all([fieldsOf(services[0]!, 'a'), fieldsOf(services[0]!, 'b')]);
  const names = (fields: typeof a) => [...fields.values()].map((field) => field['x-name']);
  expect(a.get('detection.tracking_enabled')?.['x-name']).toBe(
    b.get('detection.enable_tracking')?.['x-name'],
  );
  for (const fields of [a, b]) expect(new Set(names(fields)).size).toBe(fields.size);
});

test('choices are those of the topology, and a field without a node says which is missing', async () => {
  const [whole, less] = await Promise.all(services.map((service) => fieldsOf(service, 'b')));
  expect(whole!.get('environment_id')?.enum).toEqual(['test-room']);
  expect(whole!.get('detection.max_persons')?.['x-no-effect']).toBeUndefined();
  expect(less!.get('detection.max_persons')?.['x-no-effect']).toMatch(
    /no node of the topology room applies it/,
  );
});
