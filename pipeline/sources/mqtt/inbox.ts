import type { IPublishPacket } from 'mqtt';
import type { Context, RawBatch, SourceOutput } from '../../component/index.js';
import {
  addLine,
  formatNamed,
  linesOfMessage,
  MAX_RECORD_BYTES,
  RawBuilder,
  type Format,
  type MessageLine,
} from '../../formats/index.js';
import { pause } from '../../base/backoff.js';
import type { TakenMessages } from './taken.js';

/** Messages so far, and the time of the last one. */
export interface MqttPosition {
  readonly records: number;
  readonly time: number;
}

export interface InboxSettings {
  readonly format: string;
  readonly block_records: number;
  readonly idle_tick_ms: number;
}

/** A batch that the queue has not accepted yet, and what to confirm once everything up to it is on disk. */
interface Batch {
  readonly content: { readonly raw: RawBatch; readonly position: MqttPosition } | null;
  readonly acknowledge: readonly (() => void)[];
}

/** Gathers messages into batches, hands them on in order, and confirms them once they are on disk. */
export class Inbox {
  readonly #context: Context;
  readonly #output: SourceOutput;
  readonly #builder: RawBuilder;
  readonly #format: Format;
  readonly #tick: NodeJS.Timeout | undefined;
  readonly #waiting: Batch[] = [];
  readonly #taken: TakenMessages;
  /**
   * Topics for which the broker, on this connection, has resent all messages that it had sent before: it
   * preserves their order.
   */
  readonly #caughtUp = new Set<string>();
  #connected = false;
  #acknowledge: (() => void)[] = [];
  #records: number;
  #draining = false;
  #drained: Promise<void> = Promise.resolve();
  #confirming: Promise<void> = Promise.resolve();
  #scheduled = false;
  #heard = false;
  #again = 0;
  #retained = 0;

  /** @param taken messages that were already accepted; grows */
  constructor(
    settings: InboxSettings,
    context: Context,
    output: SourceOutput,
    from: MqttPosition | null,
    taken: TakenMessages,
  ) {
    this.#context = context;
    this.#output = output;
    this.#records = from?.records ?? 0;
    this.#taken = taken;
    this.#format = formatNamed(settings.format);
    this.#builder = new RawBuilder(
      settings.block_records,
      'live',
      // The clock may have been set back since.
      from ? Math.min(from.time, context.clock.now()) : undefined,
    );
    if (settings.idle_tick_ms > 0) {
      this.#tick = setInterval(() => {
        this.#tickIfSilent();
      }, settings.idle_tick_ms);
    }
  }

  /** Silence counts only while the broker is reachable, and starts again with each connection. */
  set connected(connected: boolean) {
    this.#connected = connected;
    this.#caughtUp.clear();
  }

  receive(packet: IPublishPacket, acknowledge: () => void): void {
    this.#heard = true;
    if (packet.retain) {
      this.#retained++;
      this.#context.metrics.dropped('retained', 1);
      acknowledge();
      return;
    }
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    const record = payload.subarray(0, MAX_RECORD_BYTES);
    const lines = linesOfMessage(record, this.#format);
    if (packet.qos === 1) {
      // Of several lines, the last one: those before it were accepted earlier.
      if (this.#cameBefore(packet, lines?.at(-1)?.record ?? record)) {
        this.#acknowledge.push(acknowledge);
        this.#again++;
        this.#flushSoon();
        return;
      }
    } else if (this.#waiting.length >= MAX_WAITING) {
      // Quality 0 has no flow control: drop what does not fit here, rather than let the queue grow.
      this.#context.metrics.dropped('queue_full', 1);
      return;
    }
    const time = this.#timeOf(packet, payload);
    if (lines) this.#addLines(lines, time, packet.topic);
    else this.#builder.add(time, record, 0, record.length, packet.topic);
    // With the batch of the last line: the message is confirmed once all of them are on disk.
    if (packet.qos === 1) this.#acknowledge.push(acknowledge);
    this.#flushSoon();
  }

  #addLines(lines: readonly MessageLine[], time: number, topic: string): void {
    for (const [index, line] of lines.entries()) {
      if (this.#builder.full) this.#flush();
      addLine(this.#builder, line, time, index, topic);
    }
  }

  /** Later messages may have earlier times. */
  reanchor(): void {
    this.#flush();
    this.#builder.startFrom(-Infinity);
  }

  /** Passes on messages, and confirms those on disk in time. */
  async close(): Promise<void> {
    clearInterval(this.#tick);
    this.#flush();
    const enough = new AbortController();
    const waited = pause(CLOSE_MS, enough.signal, this.#context.clock);
    await Promise.race([this.#settled(), waited]);
    enough.abort();
  }

  describe(): Readonly<Record<string, unknown>> {
    return { messages: this.#records, sent_again: this.#again, retained: this.#retained };
  }

  /** Whether the broker sends it again although it was accepted: the confirmation was lost. */
  #cameBefore({ dup, topic }: IPublishPacket, record: Uint8Array): boolean {
    if (dup && !this.#caughtUp.has(topic)) {
      if (this.#taken.has(topic, record)) return true;
      this.#caughtUp.add(topic);
    }
    this.#taken.add(topic, record);
    return false;
  }

  /** The time of measurement if the publisher or the record states a plausible one, otherwise the current time. */
  #timeOf({ properties }: IPublishPacket, record: Uint8Array): number {
    const now = this.#context.clock.now();
    const said = properties?.userProperties?.[TIME_PROPERTY];
    const time = typeof said === 'string' ? microseconds(said) : this.#format.timeOf?.(record);
    return time != null && Number.isFinite(time) && time <= now ? time : now;
  }

  /** Full batches immediately, others at the end of this burst of reads. */
  #flushSoon(): void {
    if (this.#builder.full) this.#flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#flush();
      });
    }
  }

  #flush(): void {
    const acknowledge = this.#acknowledge;
    if (this.#builder.count === 0 && acknowledge.length === 0) return;
    this.#acknowledge = [];
    this.#waiting.push({ content: this.#take(), acknowledge });
    if (!this.#draining) this.#drained = this.#drain();
  }

  #take(): Batch['content'] {
    if (this.#builder.count === 0) return null;
    const raw = this.#builder.take('message');
    this.#records += raw.count;
    const time = raw.time[raw.count - 1]!;
    return { raw, position: { records: this.#records, time } };
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    for (let batch = this.#waiting.shift(); batch; batch = this.#waiting.shift()) {
      const taken = batch.content === null || (await this.#offer(batch.content));
      // Messages rejected because this run ends stay unconfirmed: the broker sends them again to the next
      // one.
      if (taken || !this.#output.signal.aborted) this.#confirm(batch.acknowledge);
    }
    this.#draining = false;
  }

  async #offer(content: NonNullable<Batch['content']>): Promise<boolean> {
    try {
      return await this.#output.offer(content);
    } catch (error) {
      // The queue is closed; the signal reports the end of the run.
      this.#context.log.debug('a batch was not accepted', { error: String(error) });
      return false;
    }
  }

  async #settled(): Promise<void> {
    await this.#drained;
    await this.#confirming;
  }

  /** In order, and each only when it is on disk. */
  #confirm(acknowledge: readonly (() => void)[]): void {
    const journalled = this.#output.journalled?.();
    const before = this.#confirming;
    this.#confirming = (async () => {
      await before;
      await journalled;
      for (const confirm of acknowledge) confirm();
    })();
  }

  /** An empty record without a sender: no records arrived until now. */
  #tickIfSilent(): void {
    if (this.#connected && !this.#heard && this.#waiting.length === 0 && this.#records > 0) {
      this.#builder.add(this.#context.clock.now(), NO_BYTES);
      this.#flush();
    }
    this.#heard = false;
  }
}

/** Disk writes that take longer leave their messages unconfirmed: the broker sends them again. */
const CLOSE_MS = 1000;
/** User property of MQTT 5 that a publisher may add, named as the header of Kafka is. */
const TIME_PROPERTY = 'csiflow-time';
const NO_BYTES = new Uint8Array(0);
/**
 * Batches of quality 0 that wait for a full queue; those of quality 1 are bounded by the number of
 * unconfirmed messages that the broker may send.
 */
const MAX_WAITING = 64;

/** ISO 8601, or microseconds since 1970; NaN for anything else. */
const microseconds = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Date.parse(text) * 1000);
