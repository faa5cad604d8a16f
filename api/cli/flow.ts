import type { NodeFigures, NodeRates } from './node-figures.js';

/** Nodes that block the pump for this share of the time hold up all others. */
const BLOCKING = 0.5;
/** Batches in transit. */
const FEW = 2;

/**
 * Nodes in the order of their topology's graph, as `csiflow_node_info` tells; those of which it tells nothing, of
 * an older csiflow, last and as they came.
 */
export function inGraphOrder(nodes: readonly NodeFigures[]): readonly NodeFigures[] {
  const topologies = [...new Set(nodes.map(({ topology }) => topology))];
  const rank = ({ topology, order }: NodeFigures): readonly [number, number] => [
    topologies.indexOf(topology),
    order ?? Infinity,
  ];
  return nodes.toSorted((a, b) => {
    const [[topologyA, orderA], [topologyB, orderB]] = [rank(a), rank(b)];
    if (topologyA !== topologyB) return topologyA - topologyB;
    return orderA === orderB ? 0 : orderA - orderB;
  });
}

/** How many nodes each one is behind a source, by the longest way. @param nodes in the order of the graph */
export function depthsOf(
  nodes: readonly Pick<NodeRates, 'topology' | 'node' | 'reads'>[],
): readonly number[] {
  const depths = new Map<string, number>();
  return nodes.map(({ topology, node, reads }) => {
    const depth = Math.max(0, ...reads.map((from) => 1 + (depths.get(`${topology}/${from}`) ?? -1)));
    depths.set(`${topology}/${node}`, depth);
    return depth;
  });
}

/**
 * The node that holds up the others: the one that blocks the pump for most of the time; otherwise the one before
 * which most records wait, if that is more than a second of its input.
 */
export function bottleneckOf(rates: readonly NodeRates[]): NodeRates | undefined {
  const most = (of: readonly NodeRates[], by: (node: NodeRates) => number) =>
    of.toSorted((a, b) => by(b) - by(a))[0];
  const blocking = rates.filter(({ gate_closed: closed }) => closed >= BLOCKING);
  const waitsAt = ({ queue_depth: queued, undelivered }: NodeRates): number => queued + undelivered;
  const waiting = rates.filter((node) => waitsAt(node) > Math.max(FEW, node.received_per_s));
  return most(blocking, ({ gate_closed: closed }) => closed) ?? most(waiting, waitsAt);
}
