import type { DecoderContext } from '../contract/format.js';
import { Heard } from './heard.js';
import { isoTime } from '../../base/iso-time.js';

/**
 * Senders that belong to no link: counted, and listed up to a limit in order of arrival. A sender that has
 * been silent for a minute of event time is removed from the list to free its entry. Memory use is bounded
 * whatever is sent. The first {@link MAX_LOGGED} are logged, with the line by which a link would accept their
 * frames.
 */
export class Strangers {
  readonly #format: string;
  readonly #context: Pick<DecoderContext, 'links' | 'log'>;
  #logged = 0;
  readonly #listed = new Map<string, Stranger>();
  readonly #seen = new Uint32Array(SEEN_BITS / 32);
  #seenBits = 0;
  #swept = -Infinity;
  /** False once some sender is missing from the list. */
  #listsAll = true;
  #frames = 0;

  /** @param format of their frames */
  constructor(format: string, context: Pick<DecoderContext, 'links' | 'log'>) {
    this.#format = format;
    this.#context = context;
  }

  /**
   * Counts a frame of `key` (`node-7@10.0.0.4:4000`) at `time`, microseconds. `sender`: its name in a link;
   * `layout`: of the frame, null if it is not a measurement.
   */
  see(key: string, sender: string, reason: string, time: number, layout: string | null): void {
    this.#frames++;
    const known = this.#listed.get(key);
    if (known) {
      known.heard.see(time, layout);
      return;
    }
    if (this.#mark(key) && this.#logged < MAX_LOGGED) this.#log(key, sender, reason, layout);
    if (this.#listed.size >= MAX_LISTED) this.#sweep(time);
    if (this.#listed.size < MAX_LISTED) {
      const heard = new Heard(time);
      heard.see(time, layout);
      this.#listed.set(key, { reason, line: lineFor(sender), heard });
    } else this.#listsAll = false;
  }

  /** Frames of unknown senders since the start. */
  get frames(): number {
    return this.#frames;
  }

  /** Number of distinct senders: exact while all are listed, then an estimate within 1 % at ten thousand. */
  get senders(): number {
    if (this.#listsAll) return this.#listed.size;
    // Linear counting: Whang, Vander-Zanden, Taylor, ACM TODS 15(2), 1990.
    const empty = SEEN_BITS - this.#seenBits;
    const estimate = Math.round(-SEEN_BITS * Math.log(Math.max(empty, 1) / SEEN_BITS));
    return Math.max(estimate, this.#listed.size);
  }

  describe() {
    const listed = [...this.#listed].map(([sender, { reason, line, heard }]) => ({
      sender,
      reason,
      line,
      ...heard.describe(this.#format),
      first: isoTime(heard.first),
      last: isoTime(heard.last),
    }));
    return { frames: this.frames, senders: this.senders, listed };
  }

  #log(key: string, sender: string, reason: string, layout: string | null): void {
    this.#logged++;
    const { links, log } = this.#context;
    const where = links.environments.map(({ id }) => id).join(', ');
    const more = this.#logged === MAX_LOGGED ? '; further unknown senders are counted only' : '';
    log.warn(
      `frames from ${key === '' ? 'a sender without a name' : key} belong to no link of ${where} and are dropped. ` +
        `To use them, set \`${lineFor(sender)}\` on a link of the environment file${more}`,
      { sender: key, reason, format: this.#format, layout },
    );
  }

  /** False if the key was probably seen before. */
  #mark(key: string): boolean {
    // FNV-1a, 32 bits.
    let hash = 0x811c9dc5;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    hash ^= hash >>> 15;
    const bit = (Math.imul(hash, 0x2c1b3c6d) >>> 12) % SEEN_BITS;
    const mask = 1 << (bit & 31);
    if ((this.#seen[bit >> 5]! & mask) !== 0) return false;
    this.#seen[bit >> 5]! |= mask;
    this.#seenBits++;
    return true;
  }

  #sweep(time: number): void {
    if (Math.abs(time - this.#swept) < 1_000_000) return;
    this.#swept = time;
    for (const [key, { heard }] of this.#listed)
      if (Math.abs(time - heard.last) > FORGET_US) {
        this.#listed.delete(key);
        this.#listsAll = false;
      }
  }
}

export const MAX_LISTED = 256;
/** Limit of logged unknown senders: forged senders must not fill the log. */
export const MAX_LOGGED = 8;
const SEEN_BITS = 65_536;
const FORGET_US = 60_000_000;

interface Stranger {
  readonly reason: string;
  /** The line by which a link of the environment file would accept its frames. */
  readonly line: string;
  readonly heard: Heard;
}

const lineFor = (sender: string): string => `sender: ${yamlText(sender)}`;

/** A text as a YAML value: quoted if it is not a plain word. */
export const yamlText = (text: string): string =>
  /^[A-Za-z][\w.@/-]*$/.test(text) ? text : JSON.stringify(text);
