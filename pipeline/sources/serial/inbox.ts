import type { Context, RawBatch, SourceOutput } from '../../component/index.js';
import { ProblemLog, RawBuilder } from '../../formats/index.js';
import { StreamCutter } from './stream-cutter.js';

/** Records so far, and the time of the last one: no later one has an earlier time. */
export interface SerialPosition {
  readonly records: number;
  readonly time: number;
}

export interface InboxSettings {
  readonly format: string;
  readonly block_records: number;
  readonly idle_tick_ms: number;
}

/** Cuts streams into records, one stream after the other, and passes the records on in order. */
export class Inbox {
  readonly #settings: InboxSettings;
  readonly #context: Context;
  readonly #output: SourceOutput;
  readonly #builder: RawBuilder;
  readonly #sender: string;
  readonly #tick: NodeJS.Timeout | undefined;
  readonly #problems: ProblemLog;
  #cutter: StreamCutter;
  #records: number;
  #bytes = 0;
  #skipped = 0;
  #connected = false;
  #heard = false;
  #offering = false;

  /** @param sender of records that name none */
  constructor(
    settings: InboxSettings,
    context: Context,
    output: SourceOutput,
    from: SerialPosition | null,
    sender: string,
  ) {
    this.#settings = settings;
    this.#context = context;
    this.#output = output;
    this.#sender = sender;
    this.#records = from?.records ?? 0;
    const now = () => context.clock.now();
    // The clock may have been set back since.
    const newest = from ? Math.min(from.time, now()) : -Infinity;
    this.#builder = new RawBuilder(settings.block_records, 'live', newest, now);
    this.#cutter = new StreamCutter(settings.format);
    this.#problems = new ProblemLog((message, problem) => {
      context.log.warn(`${sender}: ${message}`, problem);
    });
    if (settings.idle_tick_ms > 0)
      this.#tick = setInterval(() => {
        this.#tickIfSilent();
      }, settings.idle_tick_ms);
  }

  /** Starts a stream, at its first byte. */
  begin(): void {
    this.#cutter = new StreamCutter(this.#settings.format);
    this.#connected = true;
  }

  /** Reads the stream; resolves when there is space for more. @throws FormatError if it cannot be read further */
  async receive(chunk: Uint8Array): Promise<void> {
    this.#heard = true;
    this.#bytes += chunk.length;
    await this.#take(chunk, false);
  }

  /** Why no record of the stream can be read, for a person. */
  get problem(): string | null {
    return this.#cutter.problem;
  }

  /** Ends the stream. @throws FormatError if its rest cannot be read */
  async end(): Promise<void> {
    this.#connected = false;
    await this.#take(NO_BYTES, true);
    this.#problems.end();
  }

  /** Later records may have earlier times. */
  reanchor(): void {
    this.#builder.startFrom(-Infinity);
  }

  close(): void {
    clearInterval(this.#tick);
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      connected: this.#connected,
      kind: this.#cutter.kind,
      bytes: this.#bytes,
      records: this.#records,
      problems: this.#skipped,
    };
  }

  async #take(chunk: Uint8Array, last: boolean): Promise<void> {
    try {
      this.#cutter.add(chunk);
      while (this.#cutter.cut(this.#builder, last)) await this.#flush();
    } finally {
      this.#report();
      await this.#flush();
    }
  }

  #report(): void {
    for (const problem of this.#builder.takeProblems()) {
      this.#skipped++;
      this.#context.metrics.dropped(problem.code, 1);
      this.#problems.see(problem);
    }
  }

  /** Pauses the stream while the queue is full. */
  async #flush(): Promise<void> {
    if (this.#builder.count === 0) return;
    const raw = this.#builder.take(this.#sender);
    await this.#offer({ ...raw, senders: raw.senders.map((name) => (name === '' ? this.#sender : name)) });
  }

  async #offer(raw: RawBatch): Promise<void> {
    this.#records += raw.count;
    const position: SerialPosition = { records: this.#records, time: raw.time[raw.count - 1]! };
    this.#offering = true;
    await this.#output.offer({ position, raw });
    this.#offering = false;
  }

  /** An empty record without a sender: no records arrived until now. */
  #tickIfSilent(): void {
    const isQuiet = !this.#heard && !this.#offering && this.#builder.count === 0;
    if (this.#connected && isQuiet && this.#records > 0) {
      this.#builder.add(this.#context.clock.now(), NO_BYTES);
      void this.#offer(this.#builder.take());
    }
    this.#heard = false;
  }
}

const NO_BYTES = new Uint8Array(0);
