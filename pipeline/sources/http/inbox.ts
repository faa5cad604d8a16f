import type { Context, SourceOutput } from '../../component/index.js';
import { RawBuilder } from '../../formats/index.js';
import type { BodyBatch } from './body.js';
import { Turns } from './turns.js';

/** Records so far, and the time of the last one: no later one has an earlier time. */
export interface HttpPosition {
  readonly records: number;
  readonly time: number;
}

/** Batches that wait for space in the queue before senders are asked to wait. */
const MAX_WAITING = 16;

/** Hands the records of bodies on in order. */
export class Inbox {
  readonly #context: Context;
  readonly #output: SourceOutput;
  readonly #tick: NodeJS.Timeout | undefined;
  #records: number;
  #newest: number;
  #waiting = 0;
  #heard = false;

  constructor(tickMs: number, context: Context, output: SourceOutput, from: HttpPosition | null) {
    this.#context = context;
    this.#output = output;
    this.#records = from?.records ?? 0;
    // The clock may have been set back since.
    this.#newest = from ? Math.min(from.time, context.clock.now()) : -Infinity;
    if (tickMs > 0)
      this.#tick = setInterval(() => {
        this.#tickIfSilent();
      }, tickMs);
  }

  /** The queue accepts nothing more for now. */
  get isFull(): boolean {
    return this.#waiting >= MAX_WAITING;
  }

  get records(): number {
    return this.#records;
  }

  /**
   * Passes batches on until one is rejected, and yields to other work meanwhile: no two calls at once.
   * @returns how many records were accepted; {@link journalled} says when they are on disk
   */
  async take(batches: readonly BodyBatch[]): Promise<number> {
    this.#heard = true;
    let taken = 0;
    const turns = new Turns();
    for (const batch of batches) {
      await turns.giveWay();
      if (!this.#offer(batch)) break;
      taken += batch.raw.count;
    }
    return taken;
  }

  /** Resolves once all records that were accepted until now are on disk. */
  async journalled(): Promise<void> {
    await this.#output.journalled?.();
  }

  /** Later records may have earlier times. */
  reanchor(): void {
    this.#newest = -Infinity;
  }

  close(): void {
    clearInterval(this.#tick);
  }

  /** False if the queue drops it. A record that states no time has one of its own, also if several bodies arrive at once. */
  #offer({ raw, stated }: BodyBatch): boolean {
    const time = raw.time.map((at, index) => {
      this.#newest = Math.max(at, stated[index] === true ? this.#newest : this.#newest + 1);
      return this.#newest;
    });
    this.#records += raw.count;
    const position: HttpPosition = { records: this.#records, time: this.#newest };
    const taken = this.#output.offer({ position, raw: { ...raw, time } });
    if (typeof taken === 'boolean') return taken;
    // It is in the journal and in the queue.
    this.#waiting++;
    void taken.finally(() => {
      this.#waiting--;
    });
    return true;
  }

  /** An empty record without a sender: no records arrived until now. */
  #tickIfSilent(): void {
    if (!this.#heard && this.#waiting === 0 && this.#records > 0) {
      const builder = new RawBuilder(1, 'live');
      builder.add(this.#context.clock.now(), NO_BYTES);
      this.#offer({ raw: builder.take(), stated: [true] });
    }
    this.#heard = false;
  }
}

const NO_BYTES = new Uint8Array(0);
