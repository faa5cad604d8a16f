import type { TSchema } from 'typebox';
import type {
  CheckedNode,
  CheckedTopology,
  NodeOverride,
  Overrides,
} from '../../../pipeline/config/index.js';
import type { Form } from '../form.js';

export type Value = number | boolean | string;

/** What is measured or loaded, rather than configured. */
export interface Facts {
  readonly modelVersion: string;
  /** ISO 8601. */
  readonly calibratedAt: string;
  /** Of a link, a second; 0 while nothing is received. */
  readonly samplingRate: number;
  readonly antennas: number;
  readonly subcarriers: number;
}

/** What the values of fields are read from. */
export interface Place {
  readonly topology: CheckedTopology;
  /** Values that live in the configuration alone, by the field's name. */
  readonly own: ReadonlyMap<string, Value>;
  readonly facts: Facts;
}

/** How a form shows a field. */
export interface FieldView {
  /** Dotted. */
  readonly path: string;
  readonly schema: TSchema;
  /** Where the form counts in another unit than the configuration. */
  readonly show?: (value: Value) => Value;
  readonly read?: (shown: Value) => Value;
}

/** Both included. */
export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** One value of the configuration; the forms' shapes are views of all of them. */
export interface Field {
  /** Under which it is stored. */
  readonly name: string;
  readonly views: Partial<Record<Form, FieldView>>;
  /** The value where `missing` is null. */
  readonly read: (place: Place) => Value;
  /** The value where there is nothing that it could act on. */
  readonly absent: Value;
  /** What it would act on and is not there, for a person; null where it is there. */
  readonly missing: (topology: CheckedTopology) => string | null;
  /** What it changes in the topology; left out for values of the configuration alone and for facts. */
  readonly write?: (value: Value, topology: CheckedTopology) => Overrides;
  /** Why it cannot be set, where that is so. */
  readonly fixed?: (topology: CheckedTopology) => string | null;
  /** Of a fact: whether a value that was sent is the one that is there. Default: it is equal. */
  readonly isSame?: (sent: Value, now: Value) => boolean;
  /** Values beside those of the schema that are refused, with the reason. */
  readonly refuse?: (value: Value, topology: CheckedTopology) => string | null;
  /** Of a number, where a topology takes less than the schema says. Called where nothing is missing. */
  readonly bounds?: (topology: CheckedTopology) => Bounds;
  /** Once on, a topology that cannot keep it is refused, rather than run without it. */
  readonly isPromise?: boolean;
}

/** Nothing in the topology is needed for it. */
export const always = (): null => null;

export const nodesOf = ({ nodes }: CheckedTopology, ...types: readonly string[]): readonly CheckedNode[] =>
  nodes.filter(({ component }) => types.includes(component.name));

/** Missing where the topology has no node of these types. */
export const needs =
  (...types: readonly string[]) =>
  (topology: CheckedTopology): string | null =>
    nodesOf(topology, ...types).length > 0
      ? null
      : `the topology ${topology.id} has no node of the type ${types.join(' or ')}`;

/** The same change for all nodes of these types. */
export function overrideAll(
  topology: CheckedTopology,
  types: readonly string[],
  change: (node: CheckedNode) => NodeOverride,
): Overrides {
  return { nodes: new Map(nodesOf(topology, ...types).map((node) => [node.id, change(node)])) };
}

/** A field of a component's configuration: of all nodes of the type, read from the first. */
export function nodeField(
  type: string,
  field: string,
  options: {
    readonly show?: (stored: unknown, node: CheckedNode, topology: CheckedTopology) => Value;
    readonly store?: (value: Value, node: CheckedNode, topology: CheckedTopology) => unknown;
  } = {},
): Pick<Field, 'read' | 'missing' | 'write'> {
  const show = options.show ?? ((stored: unknown) => stored as Value);
  const store = options.store ?? ((value: Value): unknown => value);
  return {
    missing: needs(type),
    read: ({ topology }) => {
      const [node] = nodesOf(topology, type);
      return show(node!.config[field], node!, topology);
    },
    write: (value, topology) =>
      overrideAll(topology, [type], (node) => ({ config: { [field]: store(value, node, topology) } })),
  };
}

/** What a component takes for a field of its configuration; nothing where the topology has none of it. */
export function boundsOf(type: string, field: string, topology: CheckedTopology): Bounds {
  const [node] = nodesOf(topology, type);
  const { minimum, maximum } = (node?.component.config.properties[field] ?? {}) as Bounds;
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}

/** Whether the nodes of these types are switched on: at least one of them. */
export const switchOf = (
  ...types: readonly string[]
): Pick<Field, 'read' | 'missing' | 'write' | 'absent'> => ({
  missing: needs(...types),
  absent: false,
  read: ({ topology }) => nodesOf(topology, ...types).some(({ enabled }) => enabled !== false),
  write: (value, topology) => overrideAll(topology, types, () => ({ enabled: value === true })),
});

/** Six digits: values that two views convert into each other stay equal. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
