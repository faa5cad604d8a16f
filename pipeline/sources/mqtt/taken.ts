import { createHash } from 'node:crypto';
import { rawRecord, type RawBatch, type State } from '../../component/index.js';

/**
 * Number of records that are remembered: as many messages, or fewer that have several lines. Mosquitto 2.0 was observed to resend 344 messages at once, although
 * its client had limited unconfirmed messages to 64: while its disk is slow it keeps sending, and what a
 * killed client had confirmed is lost with the connection.
 */
const REMEMBERED = 8_192;
const DIGEST_BYTES = 8;

/** The records of the messages accepted last, identified by their content. */
export class TakenMessages {
  /** Oldest first. */
  readonly #digests: Set<string>;

  constructor(digests: Iterable<string> = []) {
    this.#digests = new Set(digests);
  }

  has(topic: string, record: Uint8Array): boolean {
    return this.#digests.has(digestOf(topic, record));
  }

  /**
   * How many records of a message, counted from its first one, were accepted. Of a message with more than are remembered,
   * all were if the last ones were.
   */
  accepted(topic: string, records: readonly Uint8Array[]): number {
    const unknown = records.slice(-REMEMBERED).findIndex((record) => !this.has(topic, record));
    if (unknown < 0) return records.length;
    return records.length > REMEMBERED ? 0 : unknown;
  }

  add(topic: string, record: Uint8Array): void {
    const digest = digestOf(topic, record);
    this.#digests.delete(digest);
    this.#digests.add(digest);
    if (this.#digests.size > REMEMBERED) this.#digests.delete(this.#digests.values().next().value!);
  }

  addAll(raw: RawBatch): void {
    for (let index = 0; index < raw.count; index++) {
      const topic = raw.senders[raw.sender[index]!]!;
      // A record without a sender is a tick of the clock.
      if (topic !== '') this.add(topic, rawRecord(raw, index));
    }
  }

  copy(): TakenMessages {
    return new TakenMessages(this.#digests);
  }

  snapshot(): State {
    return Buffer.from([...this.#digests].join(''), 'latin1');
  }

  restore(state: State): void {
    const text = Buffer.from(state as Uint8Array).toString('latin1');
    this.#digests.clear();
    for (let at = 0; at < text.length; at += DIGEST_BYTES)
      this.#digests.add(text.slice(at, at + DIGEST_BYTES));
  }
}

const digestOf = (topic: string, record: Uint8Array): string =>
  createHash('sha1').update(topic).update('\0').update(record).digest().toString('latin1', 0, DIGEST_BYTES);
