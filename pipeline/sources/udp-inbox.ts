import type { RemoteInfo } from 'node:dgram';
import type { Context, RawBatch, SourceOutput } from '../component/index.js';
import { formatNamed, linesOfMessage, RawBuilder, type Format } from '../formats/index.js';

/** Datagrams so far, and the time of the last one: no later one has an earlier time. */
export interface UdpPosition {
  readonly records: number;
  readonly time: number;
}

interface Settings {
  readonly format: string;
  readonly block_records: number;
  readonly gather_ms: number;
  readonly idle_tick_ms: number;
}

/** Gathers datagrams into batches and passes them on in order; holds a bounded number. */
export class Inbox {
  readonly #context: Context;
  readonly #output: SourceOutput;
  readonly #builder: RawBuilder;
  readonly #tick: NodeJS.Timeout | undefined;
  readonly #names = new Map<number, { readonly address: string; readonly name: string }>();
  /** Batches that wait for space in the queue. */
  #waiting = 0;
  #records: number;
  readonly #format: Format;
  readonly #gatherMs: number;
  /** At the end of the time for which datagrams are gathered. */
  #gathering: NodeJS.Timeout | undefined;
  /** Event time from which datagrams are not gathered: asked at the first one of a batch. */
  #due = -Infinity;
  #scheduled = false;
  /** Datagrams that this turn of the event loop has read. */
  #read = 0;
  /** When the last batch was passed on, on the monotonic clock. */
  #flushed = -Infinity;
  #heard = false;
  #closed = false;

  constructor(settings: Settings, context: Context, output: SourceOutput, from: UdpPosition) {
    this.#context = context;
    this.#output = output;
    this.#records = from.records;
    this.#format = formatNamed(settings.format);
    this.#gatherMs = settings.gather_ms;
    // The clock may have been set back since.
    this.#builder = new RawBuilder(settings.block_records, 'live', Math.min(from.time, context.clock.now()));
    const period = settings.idle_tick_ms;
    if (period > 0) {
      this.#tick = setInterval(() => {
        this.#tickIfSilent();
      }, period);
    }
  }

  receive(bytes: Uint8Array, from: RemoteInfo): void {
    this.#heard = true;
    this.#count();
    const sender = this.#nameOf(from);
    const lines = linesOfMessage(bytes, this.#format);
    let now = this.#now();
    if (!lines) this.#add(bytes, sender, now);
    else
      for (const { record, at, line } of lines) {
        this.#builder.begins(at, 'line', line);
        this.#add(record, sender, now++);
      }
  }

  #add(record: Uint8Array, sender: string, now: number): void {
    if (this.#builder.count === 0) this.#due = this.#output.due?.() ?? -Infinity;
    this.#builder.add(now, record, 0, record.length, sender);
    if (this.#builder.full) this.#flush();
    else if (now >= this.#due || this.#gatherMs === 0) this.#flushSoon();
    else
      this.#gathering ??= setTimeout(() => {
        this.#flush();
      }, this.#gatherMs);
  }

  /** Each record has a time of its own, so that operators need not wait for another one of the same time. */
  #now(): number {
    return Math.max(this.#context.clock.now(), this.#builder.newest + 1);
  }

  #count(): void {
    if (this.#read === 0) {
      setImmediate(() => {
        this.#read = 0;
      });
    }
    if (++this.#read === TURN_RECORDS) this.#output.unread?.();
  }

  /** Later datagrams may have earlier times. */
  reanchor(): void {
    this.#flush();
    this.#builder.startFrom(-Infinity);
  }

  close(): void {
    clearInterval(this.#tick);
    this.#flush();
    this.#closed = true;
  }

  /**
   * Passes on a batch at the end of this burst of reads (immediates run after the poll for input); but if the
   * previous batch left only just before, a millisecond later: each batch has a fixed cost, so many small ones
   * are expensive.
   */
  #flushSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const flush = () => {
      this.#scheduled = false;
      if (!this.#closed) this.#flush();
    };
    if (this.#context.clock.elapsed() - this.#flushed < RECENT_MS) setTimeout(flush, PAUSE_MS);
    else setImmediate(flush);
  }

  #flush(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#builder.count === 0) return;
    this.#flushed = this.#context.clock.elapsed();
    const raw = this.#builder.take('datagram');
    if (this.#waiting < MAX_WAITING) this.#offer(raw);
    // The socket cannot be paused: drop what does not fit here, rather than let the queue grow.
    else this.#context.metrics.dropped('queue_full', raw.count);
  }

  /** Under `block`, a batch may wait for space; it is already in the journal. */
  #offer(raw: RawBatch): void {
    this.#records += raw.count;
    const position: UdpPosition = { records: this.#records, time: raw.time[raw.count - 1]! };
    const taken = this.#output.offer({ position, raw, isPast: true });
    if (typeof taken === 'boolean') return;
    this.#waiting++;
    void taken.finally(() => {
      this.#waiting--;
    });
  }

  /** An empty record without a sender: no records arrived until now. */
  #tickIfSilent(): void {
    if (!this.#heard && this.#builder.count === 0 && this.#waiting === 0 && this.#records > 0) {
      this.#builder.add(this.#now(), NO_BYTES);
      this.#flush();
    }
    this.#heard = false;
  }

  /** `127.0.0.1:49152`; made once per sender while there are not too many. */
  #nameOf({ address, port }: RemoteInfo): string {
    const known = this.#names.get(port);
    if (known?.address === address) return known.name;
    if (this.#names.size >= MAX_NAMES) this.#names.clear();
    const name = `${address}:${port}`;
    this.#names.set(port, { address, name });
    return name;
  }
}

/**
 * Urgent batches closer together than this are combined.
 */
const RECENT_MS = 0.5;
const PAUSE_MS = 1;
/** Largest number of datagrams that Node.js reads from a socket in one turn of the event loop. */
const TURN_RECORDS = 32;
const NO_BYTES = new Uint8Array(0);
const MAX_WAITING = 64;
const MAX_NAMES = 4096;
