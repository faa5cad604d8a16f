import type { Admin } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What Kafka stores for a partition of a group. */
export interface GroupOffset {
  readonly topic: string;
  readonly partition: number;
  /** Null if nothing was committed. */
  readonly offset: number | null;
  readonly metadata: string;
}

const TRIES = 50;
const PAUSE_MS = 100;

/** Offsets that a group has committed. A new group's coordinator needs a moment to start. */
export async function groupOffsets(
  admin: Admin,
  group: string,
  topics: readonly string[],
): Promise<readonly GroupOffset[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
      return found.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset, metadata }) => ({
          topic,
          partition,
          offset: Number(offset) < 0 ? null : Number(offset),
          metadata: metadata ?? '',
        })),
      );
    } catch (error) {
      if (!isPassing(error) || attempt === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof Error &&
  'type' in error &&
  ['NOT_COORDINATOR_FOR_GROUP', 'GROUP_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE'].includes(
    String(error.type),
  );
