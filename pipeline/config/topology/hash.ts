import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { CheckedNode, CheckedTopology } from './topology.js';

/** Adds the hashes of a node, which depend on all its other fields. */
export function withHashes(node: Omit<CheckedNode, 'hash' | 'stateHash'>): CheckedNode {
  const { component, config, contents, inputs } = node;
  const identity = { kind: component.kind, component: component.name, inputs };
  const { stateFields } = component;
  const stateConfig =
    stateFields && Object.fromEntries(stateFields.map((field) => [field, config[field] ?? null]));
  return {
    ...node,
    hash: hashOf({ ...identity, config, contents }),
    ...(stateConfig && { stateHash: hashOf({ ...identity, state: stateConfig }) }),
  };
}

/** A topology with its hash. */
export function withHash(topology: Omit<CheckedTopology, 'hash'>): CheckedTopology {
  const { id, environments, nodes, settings, folder } = topology;
  const content = {
    id,
    environments,
    nodes: Object.fromEntries(
      nodes.map(({ id: name, hash, queue, enabled }) => [
        name,
        { hash, queue, ...(enabled === false && { enabled }) },
      ]),
    ),
    // Relative: the same topology in another folder is the same topology. Its accounts and address do not
    // affect what it computes.
    settings: {
      ...settings,
      stateFolder: relative(folder, settings.stateFolder),
      accountsFolder: undefined,
      advertisedAddress: undefined,
    },
  };
  return { ...topology, hash: hashOf(content) };
}

/** SHA-256 over JSON with sorted keys; the first 32 hexadecimal digits. */
export function hashOf(content: unknown): string {
  return createHash('sha256').update(canonical(content)).digest('hex').slice(0, 32);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value as Record<string, unknown>)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
