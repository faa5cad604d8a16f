/** The ends of the lines in a text: a line feed, a carriage return (old terminals), or both, which are two ends. */
export class LineEnds {
  readonly #bytes: Uint8Array;
  /** Positions of the next ones; beyond the text if there are none. */
  #feed = -1;
  #return = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Position of the first end at or behind `from`, which never decreases; -1 if there is none. */
  after(from: number): number {
    if (this.#feed < from) this.#feed = this.#find(FEED, from);
    if (this.#return < from) this.#return = this.#find(RETURN, from);
    const end = Math.min(this.#feed, this.#return);
    return end === Infinity ? -1 : end;
  }

  #find(end: number, from: number): number {
    const at = this.#bytes.indexOf(end, from);
    return at < 0 ? Infinity : at;
  }
}

export const FEED = 0x0a;
export const RETURN = 0x0d;
