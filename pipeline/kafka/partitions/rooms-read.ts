import { createHash } from 'node:crypto';
import type { KafkaMessage } from 'kafkajs';

/** Base64 digits of a room: 48 bits. */
const DIGITS = 8;
/** Brokers take 4,096 bytes with an offset; the topology, an id and an address of 256 lie there too. */
const MAX_ROOMS = 400;

/**
 * The rooms whose messages were read of a partition, for the other processes of a group: a producer chooses the
 * partition of a key, so only who has read it knows. A text that fits beside an offset.
 */
export class RoomsRead {
  readonly #unseen: Set<string>;
  #last: Buffer | null = null;
  #text = '';

  constructor(rooms: readonly string[]) {
    this.#unseen = new Set(rooms);
  }

  /** Their keys are ids of environments. */
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

/** Whether it is among those of {@link RoomsRead.text}. */
export function hasRoom(text: string, room: string): boolean {
  const wanted = digest(room);
  for (let at = 0; at < text.length; at += DIGITS) if (text.startsWith(wanted, at)) return true;
  return false;
}

const digest = (room: string): string =>
  createHash('sha256').update(room).digest('base64url').slice(0, DIGITS);
