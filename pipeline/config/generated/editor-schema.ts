import type { Component, Kind, Registry } from '../../component/index.js';
import { KINDS } from '../../component/index.js';
import { EnvironmentSchema } from '../../model/index.js';
import {
  EnabledSchema,
  FromSchema,
  OutlineSchema,
  ID_PATTERN,
  queueSchema,
} from '../schema/topology-schema.js';
import { jsonSchema, mustBeWritten, type JsonSchema } from '../schema/json-schema.js';
import { shippedPage } from '../problems/problem.js';
import { SECTIONS } from '../graph/nodes.js';
import { TestFileSchema } from '../schema/test-schema.js';

/**
 * The JSON schema (draft 7) of a whole topology, for editors: `type` is completed with the components of
 * its section, then the fields of that component, each with its description and default. Put into the
 * first line of a topology: `# yaml-language-server: $schema=topology.schema.json`.
 */
export function topologySchema(registry: Registry): JsonSchema {
  const outline = fileSchema(
    OutlineSchema,
    'A topology of csiflow: sources, operators and sinks, named and connected.',
  );
  const sections = KINDS.map((kind) => [SECTIONS[kind], sectionSchema(kind, registry)] as const);
  return {
    ...outline,
    properties: { ...outline.properties, ...Object.fromEntries(sections) },
  };
}

/** The same for a file `NAME.test.yaml`. */
export const testFileSchema = (): JsonSchema => fileSchema(TestFileSchema, 'Tests of a topology.');

/** The same for an environment. */
export const environmentSchema = (): JsonSchema =>
  fileSchema(EnvironmentSchema, 'An environment: a room or flat with its links.');

function fileSchema(schema: Parameters<typeof jsonSchema>[0], description: string): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...untitled(forEditor(jsonSchema(schema))),
    description,
  };
}

function sectionSchema(kind: Kind, registry: Registry): JsonSchema {
  const components = registry.list(kind);
  const node: JsonSchema = {
    type: 'object',
    required: kind === 'source' ? ['type'] : ['type', 'from'],
    properties: {
      type: {
        type: 'string',
        enum: components.map((component) => component.name),
        markdownEnumDescriptions: components.map((component) => component.summary),
        description: `The type of this ${kind}.`,
      },
      // Before the type is chosen too.
      ...(kind === 'source' ? {} : { from: jsonSchema(FromSchema) }),
    },
    allOf: components.map(branch),
  };
  const description = SECTION_TEXT[kind];
  return {
    type: 'object',
    description,
    patternProperties: { [ID_PATTERN]: node },
    additionalProperties: false,
  };
}

const SECTION_TEXT: Readonly<Record<Kind, string>> = {
  source: 'The sources of data: a map of node ids.',
  operator: 'The processing steps: a map of node ids.',
  sink: 'The destinations of results: a map of node ids.',
};

/** Editors show the title of the whole beside each of its fields. */
const untitled = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'title'));

/** `if` the node is of this component, `then` it has these fields. */
function branch(component: Component): JsonSchema {
  const config = forEditor(jsonSchema(component.config));
  const page = shippedPage(component);
  const common: Readonly<Record<string, JsonSchema>> =
    component.kind === 'source'
      ? { queue: forEditor(jsonSchema(queueSchema(component.replayable))) }
      : { from: jsonSchema(FromSchema), enabled: forEditor(jsonSchema(EnabledSchema)) };
  return {
    if: { properties: { type: { const: component.name } }, required: ['type'] },
    then: {
      description: page === undefined ? component.summary : `${component.summary} See ${page}.`,
      properties: {
        type: { const: component.name },
        ...common,
        ...withExamples(component, config.properties),
      },
      required: config.required ?? [],
      additionalProperties: false,
    },
  };
}

/** Texts that the component's examples have: editors offer them as values. */
const withExamples = (component: Component, properties: JsonSchema['properties'] = {}) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const examples = isFreeText(field) ? valuesOf(component, name) : [];
      return [name, examples.length > 0 ? { ...field, examples } : field];
    }),
  );

const isFreeText = (field: JsonSchema): boolean =>
  field.type === 'string' && field.enum === undefined && field.default === undefined;

const valuesOf = ({ examples }: Component, name: string): readonly unknown[] => [
  ...new Set(examples.flatMap(({ config }) => (config as Readonly<Record<string, unknown>>)[name] ?? [])),
];

/** Fields with defaults are optional, and any number or switch may be a variable. */
function forEditor(schema: JsonSchema): JsonSchema {
  const { required, properties, items, anyOf, ...rest } = schema;
  const written = mustBeWritten(schema);
  const parts: JsonSchema = {
    ...rest,
    ...(properties && { properties: mapValues(properties, forEditor) }),
    ...(items && { items: forEditor(items) }),
    ...(anyOf && { anyOf: [...anyOf.map(forEditor), ...(anyOf.some(isNumeric) ? [VARIABLE] : [])] }),
    ...(required && written.length > 0 && { required: written }),
  };
  if (!isNumeric(schema)) return parts;
  const { description, default: fallback, ...checks } = parts;
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    anyOf: [checks, VARIABLE],
  };
}

const VARIABLE: JsonSchema = { type: 'string', pattern: '\\$\\{[^{}]+\\}' };

const isNumeric = (schema: JsonSchema): boolean =>
  ['number', 'integer', 'boolean'].includes(String(schema.type)) && schema.enum === undefined;

const mapValues = (
  schemas: Readonly<Record<string, JsonSchema>>,
  change: (schema: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));
