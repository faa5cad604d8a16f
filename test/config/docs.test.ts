import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { staleDocs } from '../../api/cli/docs-pages.js';
import { components } from '../../api/components.js';
import {
  CODES,
  docsPages,
  loadTopology,
  parseTopology,
  environmentSchema,
  topologySchema,
} from '../../pipeline/config/index.js';
import { schemaErrors } from '../../pipeline/config/schema/schema-errors.js';
import { jsonSchema, type JsonSchema } from '../../pipeline/config/schema/json-schema.js';
import { testComponents } from '../support/components.js';

test('the pages on disk are those that the code generates', () => {
  expect(staleDocs(), 'out of date: run `npm run csiflow -- docs`').toEqual([]);
});

test('the page of errors lists exactly the existing codes', () => {
  const listed = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  expect(listed).toEqual(Object.keys(CODES));
});

describe.each(components.list().map((component) => [component.kind, component.name, component] as const))(
  '%s %s',
  (_kind, _name, component) => {
    test.each(component.examples.map((example) => [example.title, example.config] as const))(
      'its example "%s" is valid',
      (_title, config) => {
        const value = structuredClone(config);
        expect(schemaErrors(value, component.config)).toEqual([]);
        expect(component.check?.(value as never) ?? []).toEqual([]);
      },
    );

    test('every field has a description, and unknown fields are rejected', () => {
      expect(jsonSchema(component.config).additionalProperties).toBe(false);
      const silent = Object.entries(component.config.properties)
        .filter(([, field]) => !(field as JsonSchema).description)
        .map(([field]) => field);
      expect(silent).toEqual([]);
    });
  },
);

const topologies = readdirSync('topologies').filter((file) => /(?<!\.test)\.yaml$/.test(file));

test.each(topologies)('topologies/%s is valid', (file) => {
  const { problems } = loadTopology(join('topologies', file), components, { env: {} });
  expect(problems).toEqual([]);
});

const pages = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => join('docs', file)),
];
const snippets = pages
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^```yaml\n(id: [^]*?)^```/gm)].map(
      (match) => [file, match[1]!] as const,
    ),
  );

test.each(snippets)('a topology shown in %s is valid', (file, text) => {
  const environment = loadedEnvironment();
  const source = { text, shown: file, file: null, folder: 'topologies', environments: environment };
  const { problems } = parseTopology(source, components, { env: {} });
  expect(problems.filter((problem) => problem.severity === 'error')).toEqual([]);
});

/** Snippets name environments that do not exist; they are about nodes. */
function loadedEnvironment() {
  return [parse(readFileSync('topologies/environments/demo-flat.yaml', 'utf8'))] as never;
}

describe('the schema for editors', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(topologySchema(testComponents));
  const golden = (file: string): unknown =>
    parse(readFileSync(`test/config/golden/${file}.yaml`, 'utf8'), { merge: true });

  test.each(['good', 'good-anchors', 'good-variables', 'good-two-kinds-of-one-name'])(
    'accepts %s',
    (file) => {
      expect(validate(golden(file)), JSON.stringify(validate.errors)).toBe(true);
    },
  );

  test.each([
    'field-unknown',
    'value-choice',
    'component-unknown',
    'component-kind',
    'field-missing',
    'value-type',
    'settings',
    'queue',
  ])('rejects %s', (file) => {
    expect(validate(golden(file))).toBe(false);
  });
});

describe('the schema for editors, of the components that ship', () => {
  const { properties } = topologySchema(components);
  const [node] = Object.values(properties!['operators']!.patternProperties!);
  const branches = node!['allOf'] as readonly { readonly if: JsonSchema; readonly then: JsonSchema }[];
  const filter = branches.find((branch) => branch.if.properties!['type']!.const === 'filter')!.then;

  test('an expression shows the fields that it can read', () => {
    const text = String(filter.properties!['where']!['markdownDescription']);
    for (const field of ['`severity`', '`location.x`', '`persons[].posture`', '`subject`'])
      expect(text).toContain(field);
  });

  test('a required text offers the values of the examples', () => {
    expect(filter.properties!['where']!['examples']).toContain('measure.subject == "kitchen"');
  });
});

test.each(['demo-flat', 'esp32-pair'])('the schema of environments accepts %s', (name) => {
  const validate = new Ajv({ strict: false }).compile(environmentSchema());
  const accepted = validate(parse(readFileSync(`topologies/environments/${name}.yaml`, 'utf8')));
  expect(accepted, JSON.stringify(validate.errors)).toBe(true);
});

test('a page shows fields of nested maps by their path, and the meaning of each word', () => {
  const page = docsPages(testComponents).find(({ path }) => path === 'docs/components/operators/scrub.md');
  expect(page?.text).toContain('`hampel`: Median of a window.');
});
