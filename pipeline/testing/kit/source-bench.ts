import { fail } from 'node:assert/strict';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { AnySource, Context, Position, Source, SourceBatch } from '../../component/index.js';
import { testContext, type Recorded } from './context.js';
import { withDefaults } from './definition.js';

/** A source's input, for one test. */
export interface SourceInput {
  /** Configuration of a source that reads it; of a replayable one, as fast as possible. */
  readonly config: object;
  readonly context?: Partial<Context>;
  /** For live sources: makes at least 20 records arrive, from a sender in the environment. Called once the source is ready. */
  send?(source: Source): Promise<void>;
  /** For a replayable source whose input never ends: it counts as read when nothing arrives for this long, milliseconds. */
  readonly quietMs?: number;
  /** How long what was sent may take to arrive, and the source to end on request, milliseconds. Default 5000. */
  readonly waitMs?: number;
  close?(): Promise<void>;
}

export interface SourceDriver {
  readonly component: AnySource;
  readonly config: object;
  readonly invalid?: readonly object[];
  readonly input: (folder: string) => Promise<SourceInput>;
  /** False for sources that offer `data`, and have no `decode`. Default true. */
  readonly decodes?: boolean;
}

/** Records that {@link SourceInput.send} makes arrive, at least. */
export const SENT = 20;

/** The result of reading: batches, their source, and how many were offered at most while one waited. */
interface Reading {
  readonly batches: readonly SourceBatch[];
  readonly source: Source;
  readonly waiting: number;
}

/** An input, and the sources that read it. */
export class SourceBench {
  readonly #driver: SourceDriver;
  readonly #folder: string;
  readonly #input: SourceInput;

  constructor(driver: SourceDriver, folder: string, input: SourceInput) {
    this.#driver = driver;
    this.#folder = folder;
    this.#input = input;
  }

  readonly make = (): Source => this.makeRecorded().source;

  get #waitMs(): number {
    return this.#input.waitMs ?? 5000;
  }

  /** Waits for something that a source must do. @param failure what it fails to do if that takes too long */
  async within(work: Promise<void>, failure: string): Promise<void> {
    const done = new AbortController();
    const late = sleep(this.#waitMs, undefined, { signal: done.signal }).then(
      () => fail(`${failure} within ${this.#waitMs} ms`),
      () => undefined,
    );
    await Promise.race([work, late]);
    done.abort();
  }

  /** Whether records are sent to the source. */
  get isLive(): boolean {
    return this.#input.send !== undefined;
  }

  /** A source with its counters and logs. */
  makeRecorded(): { readonly source: Source; readonly recorded: Recorded } {
    const { component } = this.#driver;
    const folders = { folder: this.#folder, stateFolder: this.#folder };
    const { context, recorded } = testContext({ ...folders, ...this.#input.context });
    return {
      source: component.create(withDefaults(component, this.#input.config) as never, context),
      recorded,
    };
  }

  /** Reads from a position until `enough` batches or the end; each is accepted after a turn, as by a full queue. */
  async read(position: Position, enough = Infinity): Promise<Reading> {
    const source = this.make();
    const abort = new AbortController();
    const batches: SourceBatch[] = [];
    let under = 0;
    let waiting = 0;
    let last = Infinity;
    const ready = new AbortController();
    const opened = source.open(position, {
      signal: abort.signal,
      // The first batch may take longer.
      ready: () => {
        last = Date.now() + 2000;
        ready.abort();
      },
      offer: async (batch) => {
        last = Date.now();
        waiting = Math.max(waiting, ++under);
        await turn();
        under--;
        if (batches.length < enough) batches.push(batch);
        if (batches.length >= enough) abort.abort();
        return !abort.signal.aborted;
      },
    });
    if (this.#input.send) {
      await Promise.race([readiness(ready.signal), opened]);
      await this.#input.send(source);
      const deadline = Date.now() + this.#waitMs;
      while (count(batches) < SENT && Date.now() < deadline) await sleep(5);
      abort.abort();
    }
    if (this.#input.quietMs !== undefined) {
      while (!abort.signal.aborted && Date.now() - last < this.#input.quietMs) await sleep(20);
      abort.abort();
      await source.close?.();
    }
    await opened;
    return { batches, source, waiting };
  }

  /** Reads everything, and closes the source. */
  async readAll(): Promise<Reading> {
    const reading = await this.read(null);
    await reading.source.close?.();
    return reading;
  }
}

/** A live source must become ready during the start of its topology, here within four seconds. */
const readiness = (signal: AbortSignal): Promise<void> =>
  sleep(4000, undefined, { ref: false, signal }).then(
    () => fail('it never calls `output.ready()`: the start of a topology waits for that'),
    () => undefined,
  );

/** Records of batches; each frame of a block is one. */
export const count = (batches: readonly SourceBatch[]): number =>
  batches.reduce(
    (sum, { raw, data }) =>
      sum +
      (raw?.count ?? 0) +
      (data ?? []).reduce((frames, record) => frames + (record.port === 'csi' ? record.count : 1), 0),
    0,
  );
