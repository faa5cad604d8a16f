import { countOf, type Signal } from '../signals/signal.js';

/** Limits of what is in a thread. */
const MOST_FRAMES = 4096;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_MESSAGES = 64;
/** Age of the oldest message, milliseconds: results are to stay in time. */
const MOST_WAIT_MS = 250;

interface Message {
  readonly frames: number;
  readonly bytes: number;
  /** Monotonic milliseconds. */
  readonly sentAt: number;
}

/** Messages to a thread that it has not answered yet. It answers in their order. */
export class Backlog {
  readonly #messages: Message[] = [];
  #frames = 0;
  #bytes = 0;

  get messages(): number {
    return this.#messages.length;
  }

  add(signals: readonly Signal[], now: number): void {
    const message = { ...sizeOf(signals), sentAt: now };
    this.#messages.push(message);
    this.#frames += message.frames;
    this.#bytes += message.bytes;
  }

  answered(): void {
    const { frames, bytes } = this.#messages.shift() ?? { frames: 0, bytes: 0 };
    this.#frames -= frames;
    this.#bytes -= bytes;
  }

  isTooMuch(now: number): boolean {
    return this.#filled > 1 || now - (this.#messages[0]?.sentAt ?? now) > MOST_WAIT_MS;
  }

  /** Half of the limits at most. */
  get isLow(): boolean {
    return this.#filled <= 1 / 2;
  }

  get #filled(): number {
    return Math.max(
      this.#frames / MOST_FRAMES,
      this.#bytes / MOST_BYTES,
      this.#messages.length / MOST_MESSAGES,
    );
  }
}

function sizeOf(signals: readonly Signal[]): Pick<Message, 'frames' | 'bytes'> {
  let [frames, bytes] = [0, 0];
  for (const signal of signals) {
    if (signal.kind !== 'data') continue;
    frames += countOf(signal.data);
    if (signal.data.port === 'csi') bytes += signal.data.values.byteLength;
  }
  return { frames, bytes };
}
