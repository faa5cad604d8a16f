import type { Share } from './assigner.js';
import type { Lane } from './lanes.js';
import { nameOf, partitionOf } from './names.js';

/** A position as checkpoints store it: by topic and partition. */
export type TopicPositions = Readonly<Record<string, Readonly<Record<string, PartitionPosition>>>>;

/** Offset of the next message, alone if no record was passed on; earlier versions stored only that. */
export type PartitionPosition =
  | number
  | {
      readonly offset: number;
      /** Event time of the newest record passed on, microseconds: a message of its millisecond gets a later one. */
      readonly newest: number;
    };

export const offsetOf = (position: PartitionPosition): number =>
  typeof position === 'number' ? position : position.offset;

/** See {@link Lane.newest}. */
export const newestOf = (position: PartitionPosition): number =>
  typeof position === 'number' ? -Infinity : position.newest;

/** The partitions that a member of a group answers for, by name. */
export class Holdings {
  /** Read here. */
  readonly held = new Map<string, Lane>();
  /** Revoked, and claimed until a checkpoint covers what was read of them. */
  readonly releasing = new Map<string, Lane>();
  /** Positions in the checkpoint of partitions that were not gained since. */
  readonly restored: Map<string, PartitionPosition>;

  constructor(restored: TopicPositions) {
    this.restored = new Map(
      Object.entries(restored).flatMap(([topic, partitions]) =>
        Object.entries(partitions).map(
          ([partition, position]) => [nameOf(topic, partition), position] as const,
        ),
      ),
    );
  }

  /** Assigned partitions, then those that are being released. */
  get lanes(): readonly (readonly [string, Lane])[] {
    return [...this.held, ...this.releasing];
  }

  /** What the member claims in the group. */
  get claims(): Share {
    const claims: Record<string, number[]> = {};
    for (const [, { topic, partition }] of this.lanes) (claims[topic] ??= []).push(partition);
    return claims;
  }

  get positions(): TopicPositions {
    const positions: Record<string, Record<string, PartitionPosition>> = {};
    for (const [name, position] of this.restored) {
      const { topic, partition } = partitionOf(name);
      (positions[topic] ??= {})[partition] = position;
    }
    for (const [, { topic, partition, offered, newest }] of this.lanes)
      (positions[topic] ??= {})[partition] = newest === -Infinity ? offered : { offset: offered, newest };
    return positions;
  }

  /** True if Kafka does not have all offsets of the checkpoint yet. */
  isBehind(covered: TopicPositions): boolean {
    return this.lanes.some(
      ([, { topic, partition, committed }]) => offsetOf(covered[topic]?.[partition] ?? 0) > committed,
    );
  }

  describe(): readonly Readonly<Record<string, unknown>>[] {
    return this.lanes.map(([name, lane]) => ({
      partition: name,
      offset: lane.offered,
      committed: lane.committed,
      high: lane.high,
      lag: lane.lag,
      state: this.releasing.has(name) ? 'releasing' : lane.paused ? 'paused' : 'reading',
    }));
  }
}
