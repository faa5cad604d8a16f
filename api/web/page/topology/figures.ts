import type { FormB } from '../../../client/index.js';
import { pressureOf, type Pressure } from '../../../service/figures/pressure.js';

type TopologyAnswer = FormB['/topologies/{id}']['get']['responses'][200]['content']['application/json'];

type CountedNode = Pick<
  TopologyAnswer['data']['nodes'][number],
  'id' | 'kind' | 'received' | 'sent' | 'dropped' | 'queue_depth' | 'undelivered' | 'last_record' | 'lag_ms'
>;

/** A topology's counters at one time, as much of them as {@link figuresOf} needs. */
export interface Counted {
  /** When, milliseconds. */
  readonly asked: number;
  readonly nodes: readonly CountedNode[];
}

/**
 * Reasons of `csiflow_dropped_total` under which nothing is lost: an operator's judgement of a fall, a setting, an old
 * message, or what csiflow already has.
 */
const ON_PURPOSE: ReadonlySet<string> = new Set([
  'compressed_copy',
  'nobody_there',
  'pet',
  'rate_limit',
  'recovered',
  'repeated',
  'resting',
  'retained',
  'switched_off',
]);

export const isOnPurpose = (reason: string): boolean => ON_PURPOSE.has(reason);

/** Batches in transit. */
const FEW = 2;

/** Figures that change while displayed. */
export interface Figures {
  /** Records per second, since the previous request; null at the first. */
  readonly inRate: number | null;
  readonly outRate: number | null;
  /** Dropped records that are missing in results. */
  readonly lost: number;
  /**
   * Lag behind the clock, milliseconds of event time. Of a recording, which may be of any age, behind the newest record
   * of all nodes. Null before its first record, and for a node that is merely idle, such as a sink of alerts.
   */
  readonly lagMs: number | null;
  /** In its queue, or in an outbox. */
  readonly waiting: number;
}

/** By node. */
export function figuresOf(now: Counted, before: Counted | null): ReadonlyMap<string, Figures> {
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
      const inRate = rate(node.received, earlier?.received);
      const waiting = node.queue_depth + node.undelivered;
      return [
        node.id,
        {
          inRate,
          outRate: rate(node.sent, earlier?.sent),
          lost: lostOf(node),
          lagMs: node.lag_ms ?? lagBehind(newest, node, inRate === 0 && waiting === 0),
          waiting,
        },
      ];
    }),
  );
}

/** A node that reads nothing of what it could is not late: nothing waits for it. */
const lagBehind = (
  newest: number,
  { kind, last_record: last }: CountedNode,
  isQuiet: boolean,
): number | null => (last === null || (kind !== 'source' && isQuiet) ? null : newest - Date.parse(last));

const lostOf = ({ dropped }: CountedNode): number =>
  Object.entries(dropped).reduce((sum, [reason, count]) => sum + (isOnPurpose(reason) ? 0 : count), 0);

export const isUp = ({ status }: { readonly status: string }): boolean =>
  status === 'running' || status === 'degraded';

/**
 * The node with most waiting records, if they exceed one second of input: nodes that merge inputs always hold
 * some. A stopped topology has none, whatever waits in it.
 */
export function bottleneckOf(
  now: { readonly status: string },
  figures: ReadonlyMap<string, Figures>,
): string | null {
  if (!isUp(now)) return null;
  const [fullest] = [...figures]
    .filter(([, { waiting, inRate }]) => waiting > Math.max(FEW, inRate ?? Infinity))
    .sort(([, one], [, other]) => other.waiting - one.waiting);
  return fullest?.[0] ?? null;
}

/** What its sources lose because all nodes together are too slow; null: nothing, it is stopped, or not known yet. */
export function pressureIn(
  now: Counted & { readonly status: string },
  before: Counted | null,
): Pressure | null {
  const seconds = before ? (now.asked - before.asked) / 1000 : 0;
  if (!isUp(now) || seconds <= 0) return null;
  const sources = now.nodes.filter(({ kind }) => kind === 'source');
  return pressureOf(
    sources.map(({ id, dropped, queue_depth: waiting, lag_ms: lag }) => {
      const earlier = before!.nodes.find((node) => node.id === id);
      const lagBefore = earlier?.lag_ms ?? null;
      const rates = Object.entries(dropped).map(([reason, count]) => {
        const was = earlier?.dropped[reason] ?? 0;
        return [reason, Math.max(0, count - was) / seconds] as const;
      });
      return {
        ...{ id, droppedPerS: earlier ? Object.fromEntries(rates) : {}, waiting },
        lagS: lag === null ? null : lag / 1000,
        lagGrowth: lag === null || lagBefore === null ? null : (lag - lagBefore) / 1000 / seconds,
      };
    }),
  );
}

/**
 * Whether failed records need attention: those whose letters are gone were taken since, or forgotten.
 * @param letters how many dead letters there are; null if unknown
 */
export const isFailing = (failed: number, letters: number | null): boolean => failed > 0 && letters !== 0;

/** What became of failed records. @param letters how many dead letters there are; null if unknown */
export function failedText(letters: number | null): string {
  if (letters === null) return 'failed since the start';
  return letters > 0 ? 'failed: see the dead letters' : 'failed since the start; no dead letter is left';
}
