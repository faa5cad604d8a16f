import { createHash } from 'node:crypto';
import type { KafkaMessage } from 'kafkajs';

/** Base64 digits of a room: 48 bits. */
const DIGITS = 8;
/**
 * Brokers accept 4,096 bytes of metadata with an offset, which also hold the topology, an id and an address
 * of 256 bytes.
 */
const MAX_ROOMS = 400;

/**
 * The rooms whose messages a partition holds, for the other processes of a group: the producer chooses the
 * partition of a key, so only a reader knows. A text that fits into an offset's metadata.
 */
export class RoomsRead {
  readonly #unseen: Set<string>;
  #last: Buffer | null = null;
  #text = '';

  constructor(rooms: readonly string[]) {
    this.#unseen = new Set(rooms);
  }

  /** The message keys, which are ids of environments. */
  see(messages: readonly Pick<KafkaMessage, 'key'>[]): void {
    for (const { key } of messages) {
      if (this.#unseen.size === 0) return;
      if (!key || this.#last?.equals(key) === true) continue;
      this.#last = key;
      const room = key.toString();
      if (this.#unseen.delete(room) && this.#text.length < MAX_ROOMS * DIGITS) this.#text += digest(room);
    }
  }

  get text(): string {
    return this.#text;
  }
}

/** Whether it is in {@link RoomsRead.text}. */
export function hasRoom(text: string, room: string): boolean {
  const wanted = digest(room);
  for (let at = 0; at < text.length; at += DIGITS) if (text.startsWith(wanted, at)) return true;
  return false;
}

const digest = (room: string): string =>
  createHash('sha256').update(room).digest('base64url').slice(0, DIGITS);
