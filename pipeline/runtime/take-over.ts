import { withHash, withHashes } from '../config/topology/hash.js';
import { isOn, type CheckedNode, type CheckedTopology } from '../config/topology/topology.js';

/** The running topology with the parts of `next` that its nodes apply while they run: `enabled`, adjustable fields. */
export function adjustablePart(running: CheckedTopology, next: CheckedTopology): CheckedTopology {
  const after = new Map(next.nodes.map((node) => [node.id, node]));
  const nodes = running.nodes.map((node) => {
    const other = after.get(node.id);
    return other && other.component === node.component ? takenOver(node, other) : node;
  });
  return nodes.every((node, index) => node === running.nodes[index])
    ? running
    : withHash({ ...running, nodes });
}

function takenOver(node: CheckedNode, next: CheckedNode): CheckedNode {
  const { liveFields = [] } = node.component;
  const changed = liveFields.filter((field) => !isSame(node.config[field], next.config[field]));
  if (changed.length === 0 && isOn(node) === isOn(next)) return node;
  const config = Object.fromEntries(
    Object.entries({ ...node.config, ...Object.fromEntries(changed.map((f) => [f, next.config[f]])) }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return withHashes({ ...node, config, enabled: isOn(next) });
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
