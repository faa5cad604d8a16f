import { MAX_RECORD_BYTES } from '../contract/format.js';
import type { RawBuilder } from '../contract/raw-builder.js';

/**
 * A line of over a megabyte, such as the zeros that a power failure left in a log. It is named once and skipped to
 * its end, in whatever pieces it comes.
 */
export class LongLine {
  /** True within such a line; part of checkpoints. */
  isOpen = false;
  readonly #code: string;
  readonly #of: string;

  /** @param code of the problem @param of what no such line belongs to: `a serial log` */
  constructor(code: string, of: string) {
    this.#code = code;
    this.#of = of;
  }

  /** Whether a line with so many bytes, but no end yet, is one. */
  holds(bytes: number): boolean {
    return this.isOpen || bytes > MAX_RECORD_BYTES;
  }

  /** @param location of the line */
  skip(into: RawBuilder, location: string): void {
    const message = `a line of over a megabyte is not a line of ${this.#of}: it is skipped`;
    if (!this.isOpen) into.problem({ code: this.#code, location, message });
    this.isOpen = true;
  }
}
