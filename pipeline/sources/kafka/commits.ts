import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer } from 'kafkajs';
import type { Context } from '../../component/index.js';
import type { Mark } from '../../kafka/index.js';
import { offsetOf, type Holdings, type TopicPositions } from './holdings.js';
import type { Lane } from './lanes.js';

const MAX_COMMIT_MS = 8_000;
const COMMIT_PAUSE_MS = 100;

/** What commits need to know of the member of the group. */
export interface Membership {
  /** The consumer that takes commits; undefined while the member is in no group. */
  readonly consumer: () => Consumer | undefined;
  /** No answer can be expected any more. */
  readonly isOver: () => boolean;
  /** A checkpoint covers a revoked partition: it is no longer read here. */
  readonly released: (partition: string) => void;
}

/** Commits to Kafka what checkpoints cover, one call at a time, and releases revoked partitions by that. */
export class OffsetCommits {
  readonly #context: Context;
  readonly #owner: string;
  readonly #holdings: Holdings;
  readonly #member: Membership;
  #covered: TopicPositions = {};
  #following: Promise<void> = Promise.resolve();

  /** @param owner of the offsets: what other processes commit is foreign to it */
  constructor(context: Context, owner: string, holdings: Holdings, member: Membership) {
    this.#context = context;
    this.#owner = owner;
    this.#holdings = holdings;
    this.#member = member;
  }

  /** A checkpoint with these positions is safe. */
  cover(covered: TopicPositions): void {
    this.#covered = covered;
    this.followSoon();
  }

  followSoon(): void {
    this.#following = this.#following.then(() => this.#follow());
  }

  /**
   * Waits until Kafka has the offsets of the last checkpoint, within a time limit: during a rebalance it
   * accepts no commits.
   */
  async settled(): Promise<void> {
    const { clock } = this.#context;
    const deadline = clock.elapsed() + MAX_COMMIT_MS;
    await this.#following;
    while (this.#holdings.isBehind(this.#covered) && !this.#member.isOver() && clock.elapsed() <= deadline) {
      await sleep(COMMIT_PAUSE_MS);
      this.followSoon();
      await this.#following;
    }
  }

  /** Commits the offsets of the last checkpoint, and releases the partitions that it covers completely. */
  async #follow(): Promise<void> {
    const consumer = this.#member.consumer();
    if (!consumer) return;
    const due: { lane: Lane; offset: number }[] = [];
    for (const [, lane] of this.#holdings.lanes) {
      const position = this.#covered[lane.topic]?.[lane.partition];
      if (position === undefined) continue;
      const offset = offsetOf(position);
      lane.covered = Math.max(lane.covered, offset);
      if (offset > lane.committed) due.push({ lane, offset });
    }
    if (due.length > 0 && !(await this.#commit(consumer, due))) return;
    for (const [key, lane] of [...this.#holdings.releasing]) {
      if (lane.sent > lane.committed) continue;
      this.#holdings.releasing.delete(key);
      this.#member.released(key);
      this.#context.log.info('released a partition', { partition: key, offset: lane.committed });
    }
  }

  /** False if Kafka rejected it: the next checkpoint, or the next join, retries. */
  async #commit(consumer: Consumer, due: readonly { lane: Lane; offset: number }[]): Promise<boolean> {
    try {
      await consumer.commitOffsets(
        due.map(({ lane: { topic, partition }, offset }) => ({
          topic,
          partition,
          offset: String(offset),
          metadata: JSON.stringify({ topology: this.#context.topology, owner: this.#owner } satisfies Mark),
        })),
      );
    } catch (error) {
      this.#context.log.warn('offsets were not committed: the next checkpoint retries', {
        error: String(error),
      });
      return false;
    }
    for (const { lane, offset } of due) lane.committed = offset;
    return true;
  }
}
