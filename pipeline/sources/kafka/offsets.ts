import type { Admin } from 'kafkajs';
import { groupOffsets, markOf } from '../../kafka/index.js';
import { nameOf, partitionOf } from './names.js';
import type { CommittedOffset, OffsetLimits } from './start.js';

/** What Kafka stores for a partition. */
export interface KnownOffsets {
  readonly committed: CommittedOffset;
  readonly limits: OffsetLimits;
}

/** Asks Kafka for the stored offsets of partitions; those of a deleted topic start at 0. */
export async function knownOffsets(
  admin: Admin,
  group: string,
  partitions: readonly string[],
): Promise<(partition: string) => KnownOffsets> {
  const topics = [...new Set(partitions.map((name) => partitionOf(name).topic))];
  const [committed, limits] = await Promise.all([committedOf(admin, group, topics), limitsOf(admin, topics)]);
  return (name) => ({
    committed: committed.get(name) ?? NOTHING_COMMITTED,
    limits: limits.get(name) ?? NO_LIMITS,
  });
}

const NOTHING_COMMITTED: CommittedOffset = { offset: null, owner: '' };
const NO_LIMITS: OffsetLimits = { low: 0, high: 0 };

async function committedOf(
  admin: Admin,
  group: string,
  topics: string[],
): Promise<ReadonlyMap<string, CommittedOffset>> {
  const found = await groupOffsets(admin, group, topics);
  return new Map(
    found.map(({ topic, partition, offset, metadata }) => [
      nameOf(topic, partition),
      { offset, owner: ownerIn(metadata) },
    ]),
  );
}

/** Earlier versions wrote only the owner; in a scaled-out topology there is none. */
function ownerIn(metadata: string): string {
  const mark = markOf(metadata);
  return mark ? (mark.owner ?? '') : metadata;
}

async function limitsOf(admin: Admin, topics: readonly string[]): Promise<ReadonlyMap<string, OffsetLimits>> {
  const found = new Map<string, OffsetLimits>();
  for (const topic of topics)
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      found.set(nameOf(topic, partition), { low: Number(low), high: Number(high) });
  return found;
}
