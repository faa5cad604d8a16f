import type { ErrorObject } from 'ajv';
import type { Complaint, Component } from '../../component/index.js';
import { schemaErrors } from '../schema/schema-errors.js';
import { withHash, withHashes } from '../topology/hash.js';
import type { CheckedNode, CheckedTopology, QueueSettings, Settings } from '../topology/topology.js';

/** Changes to a node's file content. */
export interface NodeOverride {
  /** Fields of its configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly queue?: Partial<QueueSettings>;
  readonly enabled?: boolean;
}

export interface Overrides {
  /** By the node's id. */
  readonly nodes?: ReadonlyMap<string, NodeOverride>;
  readonly settings?: Partial<Settings>;
  /** Names of environments, by id. */
  readonly names?: ReadonlyMap<string, string>;
}

/**
 * A checked topology with other values for some fields.
 * @throws RangeError naming the node, the field and the problem, if the component rejects a value.
 */
export function withOverrides(topology: CheckedTopology, overrides: Overrides): CheckedTopology {
  const { nodes, settings, names } = overrides;
  return withHash({
    ...topology,
    nodes: topology.nodes.map((node) => overridden(node, nodes?.get(node.id))),
    environments: topology.environments.map((environment) => {
      const name = names?.get(environment.id);
      return name === undefined ? environment : { ...environment, name };
    }),
    settings: { ...topology.settings, ...settings },
  });
}

function overridden(node: CheckedNode, change: NodeOverride | undefined): CheckedNode {
  if (!change) return node;
  const config = { ...node.config, ...change.config };
  if (change.config) requireValid(node.id, node.component, config);
  return withHashes({
    ...node,
    config,
    ...(node.queue && change.queue && { queue: { ...node.queue, ...change.queue } }),
    ...(change.enabled !== undefined && { enabled: change.enabled }),
  });
}

function requireValid(id: string, component: Component, config: object): void {
  // Defaults are filled in, so the check receives a copy.
  const [error] = schemaErrors(structuredClone(config), component.config);
  if (error) throw new RangeError(schemaMessage(id, error));
  const complaint = component.check?.(config as never).find(({ severity }) => severity !== 'warning');
  if (complaint) throw new RangeError(complaintMessage(id, complaint));
}

const schemaMessage = (id: string, { instancePath, message = 'is not valid' }: ErrorObject): string =>
  `${id}${instancePath.replaceAll('/', '.')} ${message}`;

const complaintMessage = (id: string, { path, message }: Complaint): string =>
  `${[id, ...path].join('.')}: ${message}`;
