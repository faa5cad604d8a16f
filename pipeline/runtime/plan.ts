import { createHash } from 'node:crypto';
import { isOn, type CheckedNode, type CheckedTopology, type Edge } from '../config/topology/topology.js';
import { stateHash } from './checkpoints/barriers.js';
import type { Plan } from './status.js';
import { isRecord } from '../base/is-record.js';

/** The changes from `current` to `next`. The hash identifies this pair of topologies. */
export function planChanges(current: CheckedTopology, next: CheckedTopology): Plan {
  const before = new Map(current.nodes.map((node) => [node.id, node]));
  const after = new Map(next.nodes.map((node) => [node.id, node]));
  const changes = [
    ...next.nodes.map((node) => describe(before.get(node.id), node)),
    ...current.nodes.filter(({ id }) => !after.has(id)).map((node) => describe(node, undefined)),
  ];
  const hash = createHash('sha256').update(`${current.hash}\n${next.hash}`).digest('hex').slice(0, 16);
  return { hash, changes };
}

type Change = Plan['changes'][number];

function describe(before: CheckedNode | undefined, after: CheckedNode | undefined): Change {
  const node = (after ?? before)!;
  const state = node.component.kind === 'sink' ? 'none' : 'kept';
  const lost = before && before.component.kind !== 'sink' ? 'dropped' : 'none';
  if (!before) return { node: node.id, change: 'added', state: 'none', fields: [] };
  if (!after) return { node: node.id, change: 'removed', state: lost, fields: [] };
  const switched = isOn(before) === isOn(after) ? [] : ['enabled'];
  if (before.hash === after.hash && switched.length > 0)
    return { node: node.id, change: 'changed', state: state, fields: switched };
  if (before.hash === after.hash) return { node: node.id, change: 'unchanged', state: state, fields: [] };
  const migrates = lost === 'dropped' && stateHash(before) === stateHash(after);
  const fields = [
    ...(before.component.name === after.component.name ? [] : ['type']),
    ...differences(edges(before), edges(after), 'from'),
    ...differences(before.config, after.config, ''),
    ...(before.contents === after.contents ? [] : ['contents']),
    ...switched,
  ];
  return { node: node.id, change: 'changed', state: migrates ? 'migrated' : lost, fields };
}

const edges = (node: CheckedNode) => node.inputs.flatMap(readBy);

/** As in `from`. */
const readBy = ({ from, routes }: Edge): readonly string[] =>
  routes?.map((route) => `${from}.${route}`) ?? [from];

/** Dotted paths below `path` at which two plain values differ. */
function differences(a: unknown, b: unknown, path: string): readonly string[] {
  if (isRecord(a) && isRecord(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
    return keys.flatMap((key) => differences(a[key], b[key], path === '' ? key : `${path}.${key}`));
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
}
