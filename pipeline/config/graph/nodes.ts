import type { AnySource, Component, Kind, Registry } from '../../component/index.js';
import { RESERVED_FIELDS } from '../../component/index.js';
import { checkSchema } from '../schema/check-schema.js';
import { EnabledSchema, FromSchema, ID_PATTERN, queueSchema } from '../schema/topology-schema.js';
import { nearest } from '../../base/nearest.js';
import type { Location, Problems } from '../problems/problem.js';
import { checkOwnRules } from '../schema/own-rules.js';
import type { Edge, QueueSettings } from '../topology/topology.js';
import { valueAt, without, type Field, type MapTree, type Path, type Tree } from '../reading/tree.js';

/** A node as written in the file, checked by itself. */
export interface DraftNode {
  readonly id: string;
  /** Location of its key. */
  readonly location: Location;
  readonly kind: Kind;
  /** Undefined if `type` names no component; its edges are then not checked. */
  readonly component: Component | undefined;
  /** Undefined if it did not pass its checks. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly from: readonly Reference[];
  readonly queue: QueueSettings | null;
  readonly enabled: boolean;
  readonly secrets: readonly Path[];
}

/** A draft node with its edges. */
export interface LinkedNode {
  readonly draft: DraftNode;
  readonly inputs: readonly Edge[];
}

/** An input of a node: another node, or one of its routes (`node.route`). */
export interface Reference {
  readonly id: string;
  readonly route?: string;
  readonly location: Location;
}

export const SECTIONS = { source: 'sources', operator: 'operators', sink: 'sinks' } as const satisfies Record<
  Kind,
  string
>;

export const MAX_NODES = 1_000;

/**
 * All nodes of the three sections in order, including those with a duplicate id, each with its own problems
 * reported.
 */
export function readNodes(root: MapTree, registry: Registry, problems: Problems): readonly DraftNode[] {
  const nodes: DraftNode[] = [];
  const byId = new Map<string, DraftNode>();
  for (const kind of ['source', 'operator', 'sink'] as const) {
    const section = root.fields.get(SECTIONS[kind])?.value;
    if (section?.kind !== 'map') continue;
    for (const [id, field] of section.fields) {
      // The check of the graph reports the excess.
      if (nodes.length > MAX_NODES) return nodes;
      checkId(id, field.location, problems);
      const first = byId.get(id);
      const node = readNode(id, field, kind, registry, problems);
      if (first) {
        const message = `\`${id}\` is already the id of ${article(first.kind)} ${first.kind}, in line ${first.location.line}`;
        problems.add('config.node.duplicate', field.location, message);
      } else byId.set(id, node);
      nodes.push(node);
    }
  }
  return nodes;
}

function checkId(id: string, location: Location, problems: Problems): void {
  if (new RegExp(ID_PATTERN).test(id)) return;
  const valid = id
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 64);
  const shown = id.length > 70 ? `${id.slice(0, 67)}...` : id;
  const message = `\`${shown}\` is not a valid id: use a letter, then at most 63 letters, digits, \`_\` and \`-\``;
  problems.add('config.id.invalid', location, message, { suggestion: valid === '' ? undefined : valid });
}

function readNode(
  id: string,
  { location, value }: Field,
  kind: Kind,
  registry: Registry,
  problems: Problems,
): DraftNode {
  const empty = {
    id,
    location,
    kind,
    component: undefined,
    config: undefined,
    from: [],
    queue: null,
    enabled: true,
    secrets: [],
  };
  if (value.kind !== 'map') {
    const message = `\`${id}\` must be a map of fields with a \`type\`, as in \`${id}: { type: ... }\``;
    problems.add('config.value.type', location, message);
    return empty;
  }
  const component = readType(id, value, kind, location, registry, problems);
  const from = readFrom(id, value, kind, location, component !== undefined, problems);
  if (!component) return { ...empty, from };
  const own = without(value, RESERVED_FIELDS);
  const subject = { name: component.name, location, component, beside: besideFields(kind) };
  const before = problems.errors;
  const checked = checkSchema(own, component.config, subject, problems);
  const config = checked as Readonly<Record<string, unknown>> | undefined;
  if (config) checkOwnRules(component, config, own, location, problems);
  return {
    ...empty,
    component,
    config: problems.errors > before ? undefined : config,
    from,
    queue: readQueue(value, component, location, problems),
    enabled: readEnabled(value, component, problems),
    secrets: secretPaths(own),
  };
}

const besideFields = (kind: Kind): readonly string[] =>
  kind === 'source' ? ['type', 'queue'] : ['type', 'from', 'enabled'];

function readType(
  id: string,
  node: MapTree,
  kind: Kind,
  location: Location,
  registry: Registry,
  problems: Problems,
): Component | undefined {
  const field = node.fields.get('type');
  const names = registry.list(kind).map((component) => component.name);
  if (field?.value.kind !== 'scalar' || field.value.value === null) {
    const written = field ? undefined : nearestField(node, 'type');
    const message = `\`${id}\` has no \`type\`; ${kind}s: ${names.join(', ')}`;
    problems.add('config.component.missing', field?.location ?? written ?? location, message, {
      suggestion: written ? 'type' : undefined,
    });
    return undefined;
  }
  const name = String(field.value.value);
  const found = registry.get(kind, name);
  if (found) return found;
  const other = registry.named(name)[0];
  if (other) {
    const message = `\`${name}\` is ${article(other.kind)} ${other.kind}: it belongs under \`${SECTIONS[other.kind]}\``;
    problems.add('config.component.kind', field.value.location, message, {
      component: other,
      suggestion: nearest(name, names),
    });
  } else {
    const suggestion = nearest(name, names);
    const list = suggestion === undefined ? `; ${kind}s: ${names.join(', ')}; --plugin loads your own` : '';
    problems.add('config.component.unknown', field.value.location, `there is no ${kind} \`${name}\`${list}`, {
      suggestion,
    });
  }
  return undefined;
}

export const article = (kind: Kind): string => (kind === 'operator' ? 'an' : 'a');

/** The location of a misspelling of `name`. */
function nearestField(node: MapTree, name: string): Location | undefined {
  const written = nearest(name, node.fields.keys());
  return written === undefined ? undefined : node.fields.get(written)?.location;
}

function readFrom(
  id: string,
  node: MapTree,
  kind: Kind,
  location: Location,
  known: boolean,
  problems: Problems,
): DraftNode['from'] {
  const field = node.fields.get('from');
  if (kind === 'source') {
    if (field)
      problems.add(
        'config.from.source',
        field.location,
        `\`${id}\` is a source: it reads from outside, not from a node`,
      );
    return [];
  }
  if (!field) {
    const misspelt = nearestField(node, 'from');
    // The check of the fields reports an unknown field and its meaning.
    if (!misspelt || !known) {
      problems.add(
        'config.from.missing',
        misspelt ?? location,
        `\`${id}\` has no \`from\`, which names what it reads`,
      );
    }
    return [];
  }
  const subject = { name: '`from`', location: field.value.location };
  if (checkSchema(field.value, FromSchema, subject, problems) === undefined) return [];
  const items: readonly Tree[] = field.value.kind === 'list' ? field.value.items : [field.value];
  const seen = new Map<string, Location>();
  for (const item of items) {
    const from = item.kind === 'scalar' ? String(item.value) : '';
    if (seen.has(from))
      problems.add('config.from.duplicate', item.location, `\`${id}\` reads from \`${from}\` twice`);
    else seen.set(from, item.location);
  }
  return [...seen].map(([from, at]) => referenceOf(from, at));
}

/** Ids have no dots. */
function referenceOf(text: string, location: Location): Reference {
  const dot = text.indexOf('.');
  return dot < 0 ? { id: text, location } : { id: text.slice(0, dot), route: text.slice(dot + 1), location };
}

function readQueue(
  node: MapTree,
  component: Component,
  location: Location,
  problems: Problems,
): QueueSettings | null {
  const field = node.fields.get('queue');
  if (component.kind !== 'source') {
    if (field)
      problems.add(
        'config.field.unknown',
        field.location,
        `${component.name} has no \`queue\`: only sources have one`,
      );
    return null;
  }
  const written: Tree = field?.value ?? { kind: 'map', location, size: 1, fields: new Map() };
  return checkQueue(written, component, field?.location ?? location, problems);
}

function checkQueue(
  tree: Tree,
  source: AnySource,
  location: Location,
  problems: Problems,
): QueueSettings | null {
  const checked = checkSchema(tree, queueSchema(source.replayable), { name: '`queue`', location }, problems);
  if (checked === undefined) return null;
  const { capacity, policy, max_age_ms } = checked as {
    capacity: number;
    policy: QueueSettings['policy'];
    max_age_ms: number | null;
  };
  return { capacity, policy, maxAgeMs: max_age_ms };
}

function readEnabled(node: MapTree, component: Component, problems: Problems): boolean {
  const field = node.fields.get('enabled');
  if (!field) return true;
  if (component.kind === 'source') {
    const message = `${component.name} cannot be switched by \`enabled\`: only operators and sinks can`;
    problems.add('config.field.unknown', field.location, message);
    return true;
  }
  return (
    checkSchema(field.value, EnabledSchema, { name: '`enabled`', location: field.location }, problems) !==
    false
  );
}

/** Paths of the leaves into which secrets were inserted. */
function secretPaths(tree: Tree, path: Path = []): readonly Path[] {
  if (tree.kind === 'scalar') return tree.origin === 'secret' ? [path] : [];
  if (tree.kind === 'list') return tree.items.flatMap((item, index) => secretPaths(item, [...path, index]));
  return [...tree.fields].flatMap(([name, field]) => secretPaths(field.value, [...path, name]));
}

/** The tree of a section, for checks of more than nodes. */
export const sectionOf = (root: Tree, kind: Kind): Tree | undefined => valueAt(root, [SECTIONS[kind]]);
