import { service } from '../state/session.js';

export async function topologyOf(id: string) {
  const { data } = await service().rest.GET('/topologies/{id}', { params: { path: { id } } });
  return { ...data!.data, asked: performance.now() };
}
export type Topology = Awaited<ReturnType<typeof topologyOf>>;
export type Node = Topology['nodes'][number];

/** @param ids of the nodes, as far as they are known: others trigger a new request */
export async function graphOf(id: string, ids: string) {
  const { data } = await service().rest.GET('/topologies/{id}/graph', { params: { path: { id } } });
  return { ...data!.data, ids };
}
export type Graph = Awaited<ReturnType<typeof graphOf>>;

/** Batches in transit. */
const FEW = 2;

/** Figures that change while displayed. */
export interface Figures {
  /** Records per second, since the previous request; null at the first. */
  readonly inRate: number | null;
  readonly outRate: number | null;
  readonly dropped: number;
  /** Lag behind the newest record of all nodes, milliseconds of event time; null before its first record. */
  readonly lagMs: number | null;
  /** In its queue, or in an outbox. */
  readonly waiting: number;
}

/** By node. */
export function figuresOf(now: Topology, before: Topology | null): ReadonlyMap<string, Figures> {
  const newest = Math.max(
    ...now.nodes.map(({ last_record: last }) => (last === null ? -Infinity : Date.parse(last))),
  );
  const seconds = before ? (now.asked - before.asked) / 1000 : 0;
  return new Map(
    now.nodes.map((node) => {
      const earlier = before?.nodes.find(({ id }) => id === node.id);
      // Counters are reset at each start.
      const rate = (count: number, was: number | undefined) =>
        was === undefined || seconds <= 0 ? null : Math.max(0, count - was) / seconds;
      return [
        node.id,
        {
          inRate: rate(node.received, earlier?.received),
          outRate: rate(node.sent, earlier?.sent),
          dropped: Object.values(node.dropped).reduce((sum, count) => sum + count, 0),
          lagMs: node.last_record === null ? null : newest - Date.parse(node.last_record),
          waiting: node.queue_depth + node.undelivered,
        },
      ];
    }),
  );
}

export const isUp = ({ status }: Pick<Topology, 'status'>): boolean =>
  status === 'running' || status === 'degraded';

/**
 * The node with most waiting records, if they exceed one second of input: nodes that merge inputs always hold
 * some. A stopped topology has none, whatever waits in it.
 */
export function bottleneckOf(now: Topology, figures: ReadonlyMap<string, Figures>): string | null {
  if (!isUp(now)) return null;
  const [fullest] = [...figures]
    .filter(([, { waiting, inRate }]) => waiting > Math.max(FEW, inRate ?? Infinity))
    .sort(([, one], [, other]) => other.waiting - one.waiting);
  return fullest?.[0] ?? null;
}
