import type { State } from '../../../component/index.js';

/** Senders beyond these forget the oldest. */
const MAX_SENDERS = 256;

/**
 * The newest header line of each sender: boards of several programs may send to one port. A board prints it
 * once, at its start, so it is part of checkpoints.
 */
export class Headings {
  /** By the address that records came from; the newest last. */
  readonly #bySender = new Map<string, string>();
  /** That of all senders, from checkpoints that do not say whose it is. */
  #former: string | null = null;

  see(sender: string, heading: string): void {
    this.#bySender.delete(sender);
    this.#bySender.set(sender, heading);
    if (this.#bySender.size > MAX_SENDERS) this.#bySender.delete(this.#bySender.keys().next().value!);
  }

  /** Null if the sender sent none. */
  of(sender: string): string | null {
    return this.#bySender.get(sender) ?? this.#former;
  }

  snapshot(): Saved {
    return { heading: this.#former, headings: [...this.#bySender] };
  }

  restore(state: State): void {
    const { heading, headings = [] } = state as Saved;
    this.#former = heading;
    this.#bySender.clear();
    for (const [sender, one] of headings) this.#bySender.set(sender, one);
  }
}

interface Saved {
  readonly heading: string | null;
  /** Absent in checkpoints of 0.5.0 and before. */
  readonly headings?: readonly (readonly [sender: string, heading: string])[];
}
