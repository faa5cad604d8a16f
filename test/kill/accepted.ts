import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeHeader } from '../../pipeline/formats/containers/capture.js';
import { Checkpoints, Journal, StateStore } from '../../pipeline/state/index.js';

/** Datagrams handed over by the socket and lost in a kill. */
export interface Loss {
  readonly records: number;
  /** From the last datagram that survived to the last one that was received, milliseconds. */
  readonly milliseconds: number;
}

/**
 * The datagrams permanently accepted, over all kills of a folder: those that a run decoded before the last
 * checkpoint, and those that the next run read again from the journal after it.
 */
export class Accepted {
  readonly #folder: string;
  #records: Buffer[] = [];
  #read = 0;
  #readReceived = 0;
  /** Datagrams of the last run, including its journal, that the next run can read. */
  #survived = 0;

  constructor(folder: string) {
    this.#folder = folder;
    // A run that is killed immediately has not created them yet.
    for (const name of ['decoded.part', 'received.part'])
      writeFileSync(join(folder, name), '', { flag: 'a' });
  }

  get count(): number {
    return this.#records.length;
  }

  /** Called after each run, killed or not. */
  async afterRun(): Promise<Loss> {
    const { committed, journalled } = await this.#kept();
    for (const record of this.#decoded()) this.#records.push(record);
    const loss = this.#lost(journalled);
    this.#records = this.#records.slice(0, committed);
    if (this.#records.length < committed)
      throw new Error(`the checkpoint covers ${committed} datagrams, decoded were ${this.#records.length}`);
    this.#survived = journalled;
    return loss;
  }

  /** All of them as a capture. */
  writeCapture(path: string): void {
    writeFileSync(
      path,
      Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), ...this.#records]),
    );
  }

  /** Datagrams covered by the last checkpoint, and those including the journal after it. */
  async #kept(): Promise<{ readonly committed: number; readonly journalled: number }> {
    const folder = join(this.#folder, 'state');
    if (!existsSync(join(folder, 'state.mdb'))) return { committed: 0, journalled: 0 };
    const store = new StateStore(folder, 'kill');
    try {
      const source = new Checkpoints(store).last()?.nodes.get('in')?.state as
        { readonly position: Position | null } | undefined;
      const committed = source?.position?.records ?? 0;
      const journal = new Journal(store, 'in', (error) => {
        throw error;
      });
      const newest = journal.newest()?.position as Position | undefined;
      return { committed, journalled: newest?.records ?? committed };
    } finally {
      await store.close();
    }
  }

  #decoded(): readonly Buffer[] {
    const bytes = readFileSync(join(this.#folder, 'decoded.part')).subarray(this.#read);
    this.#read += bytes.length;
    const records: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      const end = at + FIXED_BYTES + bytes.readUInt32LE(at) + bytes.readUInt8(at + 4);
      records.push(bytes.subarray(at, end));
      at = end;
    }
    return records;
  }

  #lost(journalled: number): Loss {
    const bytes = Uint8Array.from(
      readFileSync(join(this.#folder, 'received.part')).subarray(this.#readReceived),
    );
    this.#readReceived += bytes.length;
    const pairs = new Float64Array(bytes.buffer);
    let total = this.#survived;
    let safe = pairs[1] ?? 0;
    for (let at = 0; at < pairs.length; at += 2) {
      total += pairs[at]!;
      if (total <= journalled) safe = pairs[at + 1]!;
    }
    const newest = pairs[pairs.length - 1] ?? safe;
    return { records: total - journalled, milliseconds: total > journalled ? (newest - safe) / 1000 : 0 };
  }
}

/** Size of a capture's record without sender and bytes. */
const FIXED_BYTES = 20;

interface Position {
  readonly records: number;
}
