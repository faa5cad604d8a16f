/** Beyond these, the sender not heard for longest is forgotten: strangers cannot keep the others out. */
const MAX_SENDERS = 256;
/** Invalid words of a sender before they count: one may be a damaged line. */
const CONFIRMED_BY = 2;
/** A sender without an invalid first word in so many frames has none any more. */
const FORGOTTEN_AFTER = 10_000;

/**
 * Whose first word is invalid. Some chips flag only some of their frames: the carriers of that word are then left
 * out of the others too, so that a sender has one layout. Windows could use only one of two.
 */
export class FirstWords {
  /** By sender; the one heard last is at the end. */
  readonly #flagged = new Map<string, Flagged>();

  /** Whether the carriers of the first word are left out of this frame. */
  areInvalid(sender: string, isFlagged: boolean): boolean {
    const before = this.#flagged.get(sender);
    if (!isFlagged && before === undefined) return false;
    this.#flagged.delete(sender);
    const { times, since } = before ?? NEVER;
    if (isFlagged) this.#remember(sender, { times: Math.min(times + 1, CONFIRMED_BY), since: 0 });
    else if (since < FORGOTTEN_AFTER) this.#remember(sender, { times, since: since + 1 });
    return isFlagged || (times === CONFIRMED_BY && since < FORGOTTEN_AFTER);
  }

  snapshot(): FirstWordsState {
    return [...this.#flagged].map(([sender, { times, since }]) => [sender, times, since]);
  }

  restore(state: FirstWordsState): void {
    this.#flagged.clear();
    for (const [sender, times, since] of state) this.#flagged.set(sender, { times, since });
  }

  #remember(sender: string, flagged: Flagged): void {
    this.#flagged.set(sender, flagged);
    if (this.#flagged.size > MAX_SENDERS) this.#flagged.delete(this.#flagged.keys().next().value!);
  }
}

/** Invalid words of a sender, up to {@link CONFIRMED_BY}, and its frames since the last one. */
interface Flagged {
  readonly times: number;
  readonly since: number;
}

const NEVER: Flagged = { times: 0, since: 0 };

/** The sender heard last is at the end. */
export type FirstWordsState = readonly (readonly [sender: string, times: number, since: number])[];
