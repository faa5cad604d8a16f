import { join } from 'node:path';
import type { Position } from '../component/index.js';
import { Checkpoints, type Checkpoint } from './checkpoints.js';
import { DeadLetters } from './dead-letters.js';
import { Journal } from './journal.js';
import { Outbox } from './outbox.js';
import { SentAlerts } from './sent-alerts.js';
import { SettledTimes } from './settled-times.js';
import { ShedLog } from './shed-log.js';
import { STATE_FILE, type StateStore } from './store.js';

/** A checkpoint whose nodes are already encoded, which is done step by step before it is written. */
export interface EncodedCheckpoint {
  readonly epoch: number;
  readonly at: number;
  readonly nodes: ReadonlyMap<string, Buffer>;
  /** Positions of the sources. */
  readonly positions: ReadonlyMap<string, Position>;
}

/** Everything that outlives a shard. */
export interface ShardState {
  /** The source's partition, if several processes share them; stored in dead letters. */
  readonly partition?: number;
  readonly letters: DeadLetters;
  readonly settled: SettledTimes;
  /** Undefined for a shard without a checkpoint. @throws Error `state.corrupt` */
  last(): Checkpoint | undefined;
  /** Replaces the last checkpoint; writes by `also` are committed with it. Resolves when it is safe. */
  commit(checkpoint: EncodedCheckpoint, also: readonly (() => void)[]): Promise<void>;
  /** @param fail called if the disk rejects a write */
  journal(source: string, fail: (error: Error) => void): Journal;
  /**
   * @param after the last record of the node that a checkpoint covers; null: the node starts without state
   * @param fail called if the disk rejects a write
   */
  shedLog(node: string, after: number | null, fail: (error: Error) => void): ShedLog;
  outbox(sink: string): Outbox;
  sent(sink: string): SentAlerts;
  /** Copies a consistent snapshot of all of it into a folder. Absent if a broker stores it. */
  copyTo?(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** In an embedded store of the state folder. */
export class LocalState implements ShardState {
  readonly letters: DeadLetters;
  readonly settled: SettledTimes;
  readonly #store: StateStore;
  readonly #checkpoints: Checkpoints;

  /** @param store closed with it */
  constructor(store: StateStore) {
    this.#store = store;
    this.#checkpoints = new Checkpoints(this.#store);
    this.letters = new DeadLetters(this.#store);
    this.settled = new SettledTimes(this.#store);
  }

  last(): Checkpoint | undefined {
    return this.#checkpoints.last();
  }

  commit({ epoch, at, nodes }: EncodedCheckpoint, also: readonly (() => void)[]): Promise<void> {
    return this.#store.transaction(() => {
      this.#checkpoints.write(epoch, at, nodes);
      for (const write of also) write();
    });
  }

  journal(source: string, fail: (error: Error) => void): Journal {
    return new Journal(this.#store, source, fail);
  }

  shedLog(node: string, after: number | null, fail: (error: Error) => void): ShedLog {
    return new ShedLog(this.#store, node, after, fail);
  }

  outbox(sink: string): Outbox {
    return new Outbox(this.#store, sink);
  }

  sent(sink: string): SentAlerts {
    return new SentAlerts(this.#store, sink);
  }

  copyTo(folder: string): Promise<void> {
    return this.#store.copyTo(join(folder, STATE_FILE));
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
