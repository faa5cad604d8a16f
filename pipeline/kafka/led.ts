import { setTimeout as wait } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { isMissing } from './topics.js';

const RETRY_MS = 50;
const MAX_ATTEMPTS = 600;

/**
 * Resolves when each partition of a new topic has a leader. kafkajs waits for leaders too, but gives up if the
 * broker that it asks does not know the topic yet.
 * @throws Error of the broker if it is another one, or if that takes longer than 30 s
 */
export async function led(admin: Pick<Admin, 'fetchTopicMetadata'>, topic: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      if (topics[0]?.partitions.every(({ leader }) => leader >= 0)) return;
      if (attempt >= MAX_ATTEMPTS) throw new Error(`no broker leads all partitions of the topic ${topic}`);
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isNotYet(error)) throw error;
    }
    await wait(RETRY_MS);
  }
}

const isNotYet = (error: unknown): boolean =>
  isMissing(error) || (error as { readonly type?: unknown }).type === 'LEADER_NOT_AVAILABLE';
