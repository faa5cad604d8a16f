/** Senders beyond these are judged by each frame alone. */
const MAX_SENDERS = 256;
/** A sender without an invalid first word in so many frames has none any more. */
const FORGOTTEN_AFTER = 10_000;

/**
 * Whose first word is invalid. Some chips flag only some of their frames: the carriers of that word are then left
 * out of the others too, so that a sender has one layout. Windows could use only one of two.
 */
export class FirstWords {
  /** Frames since the last invalid word, by sender. */
  readonly #since = new Map<string, number>();

  /** Whether the carriers of the first word are left out of this frame. */
  areInvalid(sender: string, isFlagged: boolean): boolean {
    if (isFlagged) {
      if (this.#since.has(sender) || this.#since.size < MAX_SENDERS) this.#since.set(sender, 0);
      return true;
    }
    const since = this.#since.get(sender);
    if (since === undefined) return false;
    if (since < FORGOTTEN_AFTER) this.#since.set(sender, since + 1);
    else this.#since.delete(sender);
    return since < FORGOTTEN_AFTER;
  }

  snapshot(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#since);
  }

  restore(state: Readonly<Record<string, number>>): void {
    this.#since.clear();
    for (const [sender, since] of Object.entries(state)) this.#since.set(sender, since);
  }
}
