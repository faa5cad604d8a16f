import { pressureOf, pressureText, type Pressure } from '../service/figures/pressure.js';
import type { NodeFigures, NodeRates } from './node-figures.js';

/** Nodes that block the pump for this share of the time hold up all others. */
const BLOCKING = 0.5;
/** Batches in transit. */
const FEW = 2;
/** An operator that needs less than this share of the time is not what makes a machine too slow. */
const NOTABLE = 0.25;

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
function bottleneckOf(rates: readonly NodeRates[]): NodeRates | undefined {
  const blocking = rates.filter(({ gate_closed: closed }) => closed >= BLOCKING);
  const waitsAt = ({ queue_depth: queued, undelivered }: NodeRates): number => queued + undelivered;
  const waiting = rates.filter((node) => waitsAt(node) > Math.max(FEW, node.received_per_s));
  return most(blocking, ({ gate_closed: closed }) => closed) ?? most(waiting, waitsAt);
}

const most = (of: readonly NodeRates[], by: (node: NodeRates) => number): NodeRates | undefined =>
  of.toSorted((a, b) => by(b) - by(a))[0];

/** All nodes of a topology together are too slow. */
export interface Overload extends Pressure {
  readonly topology: string;
  /** The operator that most time goes to, with its share of the time; null if none needs much. */
  readonly busiest: { readonly node: string; readonly busy: number } | null;
}

/** What holds up topologies: one node, or all of one together. Null: nothing does. */
export interface Congestion {
  readonly bottleneck: NodeRates | null;
  readonly overload: Overload | null;
}

/** A source that records wait at is no bottleneck if the nodes behind it are too slow. */
export function congestionOf(rates: readonly NodeRates[]): Congestion {
  const bottlenecks: NodeRates[] = [];
  const overloads: Overload[] = [];
  for (const topology of new Set(rates.map((node) => node.topology))) {
    const nodes = rates.filter((node) => node.topology === topology);
    const bottleneck = bottleneckOf(nodes);
    const overload = bottleneck && !bottleneck.is_source ? null : overloadOf(nodes);
    if (overload) overloads.push(overload);
    else if (bottleneck) bottlenecks.push(bottleneck);
  }
  return { bottleneck: bottleneckOf(bottlenecks) ?? null, overload: overloads[0] ?? null };
}

/** @param nodes of one topology */
function overloadOf(nodes: readonly NodeRates[]): Overload | null {
  const sources = nodes.filter(({ is_source: isSource }) => isSource);
  const pressure = pressureOf(
    sources.map(({ node, dropped_by, queue_depth, watermark_lag_s, lag_growth }) => ({
      ...{ id: node, droppedPerS: dropped_by, waiting: queue_depth },
      ...{ lagS: watermark_lag_s, lagGrowth: lag_growth },
    })),
  );
  if (!pressure) return null;
  // A sink, which nothing reads, mostly waits for its store.
  const isOperator = ({ node, is_source: isSource }: NodeRates) =>
    !isSource && nodes.some(({ reads }) => reads.includes(node));
  const busy = nodes.filter((node) => isOperator(node) && node.busy >= NOTABLE);
  const busiest = most(busy, (node) => node.busy);
  return {
    ...pressure,
    topology: nodes[0]!.topology,
    busiest: busiest ? { node: busiest.node, busy: busiest.busy } : null,
  };
}

/** For people. @param several whether nodes are named with their topology */
export function overloadText({ topology, source, busiest, ...pressure }: Overload, several: boolean): string {
  const named = (node: string) => (several ? `${topology}/${node}` : node);
  const text = pressureText({ ...pressure, source: named(source) });
  if (!busiest) return text;
  return `${text} Most of the time goes to ${named(busiest.node)} (${Math.round(100 * busiest.busy)} %).`;
}
