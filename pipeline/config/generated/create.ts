import { Scalar, stringify } from 'yaml';
import type { Component, Registry } from '../../component/index.js';
import { KINDS, portsOf } from '../../component/index.js';
import { inputsOf } from '../graph/graph.js';
import { describeType, jsonSchema, mustBeWritten, type JsonSchema } from '../schema/json-schema.js';
import type { Port } from '../../model/index.js';
import { nearest } from '../../base/nearest.js';
import { SECTIONS } from '../graph/nodes.js';

/** The text of an environment to adapt. */
export const createEnvironment =
  (): string => `# A room with four links between four nodes on its walls. Lengths are metres, as [x, y, z] from a corner of its floor.
id: room
size: { x: 5, y: 4, z: 2.5 }
timezone: UTC
links:
  - { id: west-south, transmitter: [0.1, 0.6, 1.2], receiver: [4.2, 0.1, 1.7], sender: node-1 }
  - { id: west-north, transmitter: [0.1, 0.6, 1.2], receiver: [2.2, 3.9, 0.6], sender: node-2 }
  - { id: south-east, transmitter: [4.2, 0.1, 1.7], receiver: [4.9, 3.3, 0.9], sender: node-3 }
  - { id: north-east, transmitter: [2.2, 3.9, 0.6], receiver: [4.9, 3.3, 0.9], sender: node-4 }
zones:
  - { id: bed, kind: bed, polygon: [[0.5, 1], [2.5, 1], [2.5, 2.4], [0.5, 2.4]] }
assumed:
  - The whole room. Measure your own, then remove this line from the environment's file.
`;

interface NewNode {
  readonly id: string;
  readonly component: Component;
  readonly from: readonly string[];
}

/**
 * The text of a topology with these components in a row: each reads from the nearest one before it with a
 * matching output. Required fields come from the component's examples; all others are comments with their
 * defaults.
 * @throws Error that names the component that does not fit.
 */
export function createTopology(names: readonly string[], registry: Registry): string {
  const nodes = connect(pickComponents(names, registry));
  const sections = KINDS.flatMap((kind) => {
    const own = nodes.filter((node) => node.component.kind === kind);
    return own.length === 0 ? [] : [`${SECTIONS[kind]}:`, ...own.flatMap(nodeLines)];
  });
  return [
    '# `csiflow validate FILE` checks this file.',
    'id: my-topology',
    '# Where its links stand. `csiflow create --environment > room.yaml` writes one to start from.',
    'environment: room.yaml',
    ...sections,
    '',
  ].join('\n');
}

/** The first is a source and the last a sink if a name is both. */
function pickComponents(names: readonly string[], registry: Registry): readonly Component[] {
  return names.map((name, index) => {
    const wanted = index === 0 ? 'source' : index === names.length - 1 ? 'sink' : 'operator';
    const found =
      registry.get(wanted, name) ??
      (index === 0 ? undefined : registry.get('sink', name)) ??
      registry.named(name)[0];
    if (found) return found;
    const near = nearest(
      name,
      registry.list().map((component) => component.name),
    );
    throw new Error(
      `there is no component \`${name}\`${near === undefined ? '; see csiflow list, and load components of your own with --plugin' : `; did you mean \`${near}\`?`}`,
    );
  });
}

function connect(components: readonly Component[]): readonly NewNode[] {
  const nodes: NewNode[] = [];
  if (!components.some((component) => component.kind === 'source')) throw new Error('name a source first');
  if (!components.some((component) => component.kind === 'sink'))
    throw new Error('name a sink last: without one, results go nowhere');
  for (const component of components) {
    const id = freeId(component.name, nodes);
    const taken = inputsOf(component);
    const wanted = component.kind === 'source' ? 0 : numberRead(component);
    const fitting = nodes.filter((node) => givenBy(node).some((port) => taken.includes(port)));
    if (fitting.length < wanted) {
      const given = nodes.flatMap(givenBy);
      const reads = `\`${component.name}\` reads ${taken.join(' or ')}${wanted > 1 ? ` of ${wanted} nodes` : ''}`;
      throw new Error(
        fitting.length === 0
          ? `${reads}, but the components before it output ${[...new Set(given)].join(', ') || 'nothing'}`
          : `${reads}: name ${wanted - fitting.length} more before it`,
      );
    }
    nodes.push({ id, component, from: fitting.slice(fitting.length - wanted).map((node) => node.id) });
  }
  return nodes;
}

const numberRead = (component: Component): number =>
  (component.kind === 'operator' ? component.nodesRead : undefined) ?? 1;

/** Facts that depend on an operator's configuration are unknown before it is written. */
const givenBy = ({ component }: NewNode): readonly Port[] =>
  component.kind === 'source' ? portsOf(component, {}) : portsOf(component);

function freeId(name: string, nodes: readonly NewNode[]): string {
  let id = name;
  for (let count = 2; nodes.some((node) => node.id === id); count++) id = `${name}-${count}`;
  return id;
}

function nodeLines({ id, component, from }: NewNode): readonly string[] {
  const schema = jsonSchema(component.config);
  const needed = mustBeWritten(schema);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const text = comment(field);
    const value = needed.includes(name) ? exampleOf(component, name, field) : field.default;
    const mark = needed.includes(name) ? '' : '# ';
    return [
      `    ${mark}${name}: ${value === undefined ? '' : inline(value)}${text === '' ? '' : `  # ${text}`}`,
    ];
  });
  return [
    `  # ${component.summary}`,
    `  ${id}:`,
    `    type: ${component.name}`,
    ...(from.length === 0 ? [] : [`    from: ${from.length === 1 ? from[0]! : `[${from.join(', ')}]`}`]),
    ...fields,
  ];
}

function comment(field: JsonSchema): string {
  const text = (field.description ?? '').split('\n', 1)[0]!;
  return `${text} (${describeType(field)})`.trim();
}

/** From the component's examples, otherwise the smallest value that its schema accepts. */
function exampleOf(component: Component, name: string, field: JsonSchema): unknown {
  for (const { config } of component.examples) {
    const found = (config as Readonly<Record<string, unknown>>)[name];
    if (found !== undefined) return found;
  }
  if (field.enum) return field.enum[0];
  const { anyOf: [first] = [] } = field;
  const type = String(first?.type ?? field.type);
  if (type === 'string') return name;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  return type === 'object' ? {} : (field.minimum ?? 1);
}

/** A value on one line of YAML. */
function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return stringify(value, { lineWidth: 0, defaultStringType: Scalar.PLAIN }).trimEnd();
  return JSON.stringify(value);
}
