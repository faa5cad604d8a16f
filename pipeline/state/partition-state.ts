import type { Partition, PartitionCheckpoint } from '../component/index.js';
import type { Checkpoint, NodeCheckpoint } from './checkpoints.js';
import type { DeadLetters } from './dead-letters.js';
import type { Journal } from './journal.js';
import { Outbox } from './outbox.js';
import { SentAlerts } from './sent-alerts.js';
import { SettledTimes } from './settled-times.js';
import type { ShedLog } from './shed-log.js';
import type { EncodedCheckpoint, ShardState } from './shard-state.js';
import { decode, encode, type StateStore } from './store.js';

const HEAD = 'head';
const NODE = 'node:';

/**
 * State of a shard that serves a partition: its checkpoints are stored beside the input and follow the
 * partition to its next reader. Dead letters and the ids of sent alerts stay with this process.
 */
export class PartitionState implements ShardState {
  readonly letters: DeadLetters;
  readonly settled: SettledTimes;
  readonly partition: number;
  readonly #partition: Partition;
  readonly #source: string;
  readonly #transactional: ReadonlySet<string>;
  readonly #store: StateStore;

  /**
   * @param source the node that reads the partition
   * @param transactional sinks whose records are committed with the checkpoint, or never
   * @param store of this process
   */
  constructor(
    partition: Partition,
    number: number,
    source: string,
    transactional: ReadonlySet<string>,
    store: StateStore,
    letters: DeadLetters,
  ) {
    this.#partition = partition;
    this.partition = number;
    this.#source = source;
    this.#transactional = transactional;
    this.#store = store;
    this.letters = letters;
    this.settled = new SettledTimes(store);
  }

  last(): Checkpoint | undefined {
    const { saved } = this.#partition;
    return saved && checkpointOf(saved);
  }

  async commit(
    { epoch, at, nodes, positions }: EncodedCheckpoint,
    also: readonly (() => void)[],
  ): Promise<void> {
    const parts = new Map<string, Uint8Array>([[HEAD, encode({ at })]]);
    for (const [id, state] of nodes) parts.set(NODE + id, state);
    await this.#partition.commit({ epoch, parts }, positions.get(this.#source) ?? null);
    for (const write of also) write();
  }

  journal(source: string): Journal {
    throw new Error(`${source} has no journal: it is read again from its partition`);
  }

  shedLog(node: string): ShedLog {
    throw new Error(`${node} has no log of shed records: its partition is read again`);
  }

  outbox(sink: string): Outbox {
    return new NoOutbox(this.#store, `${sink}#${this.partition}`);
  }

  sent(sink: string): SentAlerts {
    const name = `${sink}#${this.partition}`;
    return this.#transactional.has(sink)
      ? new NothingSent(this.#store, name)
      : new SentAlerts(this.#store, name);
  }

  close(): Promise<void> {
    return this.#partition.close();
  }
}

/** An outbox on one process's disk would not follow the partition: the input itself waits for the store. */
class NoOutbox extends Outbox {
  override get isAvailable(): boolean {
    return false;
  }

  override append(): Promise<never> {
    return Promise.reject(
      new Error('its store is offline: the partition is read again from its last checkpoint'),
    );
  }
}

/** Records of a transaction are sent again if it was not committed. */
class NothingSent extends SentAlerts {
  override async add(): Promise<void> {
    return Promise.resolve();
  }
}

/** @throws Error `state.corrupt` */
function checkpointOf({ epoch, parts }: PartitionCheckpoint): Checkpoint {
  try {
    const { at } = decode(parts.get(HEAD)!) as { at: number };
    const nodes = new Map<string, NodeCheckpoint>();
    for (const [name, part] of parts) {
      if (name.startsWith(NODE)) nodes.set(name.slice(NODE.length), decode(part) as NodeCheckpoint);
    }
    return { epoch, at, nodes };
  } catch (error) {
    throw Object.assign(
      new Error('the last checkpoint of a partition cannot be read: was it written by another program?', {
        cause: error,
      }),
      { code: 'state.corrupt' },
    );
  }
}
