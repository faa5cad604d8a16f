import type { IPublishPacket } from 'mqtt';
import type { Context, RawBatch, SourceOutput } from '../../component/index.js';
import {
  addLine,
  formatNamed,
  linesOfMessage,
  MAX_RECORD_BYTES,
  RawBuilder,
  timesOf,
  timesOfLines,
  type Format,
  type MessageLine,
} from '../../formats/index.js';
import { pause } from '../../base/backoff.js';
import type { TakenMessages } from './taken.js';

/** Records so far (a message may hold several; ticks of the clock count too), and the time of the last one. */
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
    const { records, lines } = this.#recordsIn(payload);
    const accepted = packet.qos === 1 ? this.#acceptedOf(packet, records) : 0;
    if (accepted === records.length) {
      this.#acknowledge.push(acknowledge);
      this.#again++;
      this.#flushSoon();
      return;
    }
    if (packet.qos !== 1 && this.#waiting.length >= MAX_WAITING) {
      // Quality 0 has no flow control: drop what does not fit here, rather than let the queue grow.
      this.#context.metrics.dropped('queue_full', 1);
      return;
    }
    if (lines) this.#addLines(lines.slice(accepted), packet);
    else this.#addRecord(records[0]!, packet);
    // With the batch of the last line: the message is confirmed once all of them are on disk.
    if (packet.qos === 1) this.#acknowledge.push(acknowledge);
    this.#flushSoon();
  }

  /** The records of a message, and its lines if they are these. Of a longer record, the part that its decoder refuses. */
  #recordsIn(payload: Uint8Array) {
    const lines = linesOfMessage(payload, this.#format)?.map((line) => ({
      ...line,
      record: cut(line.record),
    }));
    return { records: lines?.map(({ record }) => record) ?? [cut(payload)], lines };
  }

  #addRecord(record: Uint8Array, packet: IPublishPacket): void {
    const stated = this.#statedIn(packet, record) ?? this.#said(packet);
    const [time] = timesOf([stated], this.#context.clock.now(), this.#builder.newest);
    this.#builder.add(time!, record, 0, record.length, packet.topic);
  }

  #addLines(lines: readonly MessageLine[], packet: IPublishPacket): void {
    const times = timesOfLines(
      lines,
      (record) => this.#statedIn(packet, record),
      this.#said(packet) ?? this.#context.clock.now(),
      this.#builder.newest,
    );
    for (const [index, line] of lines.entries()) {
      if (this.#builder.full) this.#flush();
      addLine(this.#builder, line, times[index]!, packet.topic);
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
    return { records: this.#records, sent_again: this.#again, retained: this.#retained };
  }

  /**
   * How many of its records, from the first on, were accepted although the broker sends it again: all if the confirmation
   * was lost, some if a crash came between its batches.
   */
  #acceptedOf({ dup, topic }: IPublishPacket, records: readonly Uint8Array[]): number {
    let accepted = 0;
    if (dup && !this.#caughtUp.has(topic)) {
      accepted = this.#taken.accepted(topic, records);
      if (accepted === records.length) return accepted;
      this.#caughtUp.add(topic);
    }
    for (const record of records.slice(accepted)) this.#taken.add(topic, record);
    return accepted;
  }

  /** The time of measurement that a record states, unless the publisher states one; null if it is not plausible. */
  #statedIn(packet: IPublishPacket, record: Uint8Array): number | null {
    return saidBy(packet) === undefined ? this.#plausible(this.#format.timeOf?.(record)) : null;
  }

  /** The time of measurement that the publisher states; null if it is not plausible. */
  #said(packet: IPublishPacket): number | null {
    const said = saidBy(packet);
    return said === undefined ? null : this.#plausible(microseconds(said));
  }

  #plausible(time: number | null | undefined): number | null {
    return time != null && Number.isFinite(time) && time <= this.#context.clock.now() ? time : null;
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

/** What the publisher says about the time of a message; undefined if it says nothing. */
function saidBy({ properties }: IPublishPacket): string | undefined {
  const said = properties?.userProperties?.[TIME_PROPERTY];
  return typeof said === 'string' ? said : undefined;
}

const cut = (record: Uint8Array): Uint8Array => record.subarray(0, MAX_RECORD_BYTES);

/** ISO 8601, or microseconds since 1970; NaN for anything else. */
const microseconds = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Date.parse(text) * 1000);
