import type { State } from '../component/index.js';
import { decode, encode, type StateStore, type Table } from './store.js';

/**
 * A node's share of a checkpoint. Restored only into a node of the same hash: one with the same configuration
 * and inputs.
 */
export interface NodeCheckpoint {
  readonly hash: string;
  readonly stateVersion: number;
  readonly state: State;
}

/** The consistent state of all nodes at a barrier. */
export interface Checkpoint {
  /** It includes rows of this epoch and earlier ones. */
  readonly epoch: number;
  /** When it was committed, microseconds since 1970. */
  readonly at: number;
  readonly nodes: ReadonlyMap<string, NodeCheckpoint>;
}

/** The last checkpoint of a topology: one entry for the whole, and one for each node. */
export class Checkpoints {
  readonly #table: Table;

  constructor(store: StateStore) {
    this.#table = store.table('checkpoint');
  }

  /** The last one; undefined for a new store. @throws Error `state.corrupt` */
  last(): Checkpoint | undefined {
    const head = this.#table.get('head');
    if (!head) return undefined;
    try {
      const { epoch, at } = decode(head) as { epoch: number; at: number };
      const nodes = new Map<string, NodeCheckpoint>();
      for (const { key, value } of this.#table.getRange({ start: 'node:', end: 'node;' })) {
        nodes.set((key as string).slice('node:'.length), decode(Uint8Array.from(value)) as NodeCheckpoint);
      }
      return { epoch, at, nodes };
    } catch (error) {
      throw Object.assign(
        new Error('the last checkpoint cannot be read: move state.mdb away to start without it', {
          cause: error,
        }),
        { code: 'state.corrupt' },
      );
    }
  }

  /**
   * Replaces the last one; called within a transaction. `nodes` are already encoded, which is done step by
   * step beforehand.
   */
  write(epoch: number, at: number, nodes: ReadonlyMap<string, Buffer>): void {
    for (const key of this.#table.getKeys({ start: 'node:', end: 'node;' })) {
      if (!nodes.has((key as string).slice('node:'.length))) void this.#table.remove(key);
    }
    for (const [node, value] of nodes) void this.#table.put(`node:${node}`, value);
    void this.#table.put('head', encode({ epoch, at }));
  }
}

export const encodeNode = (node: NodeCheckpoint): Buffer => encode(node);
