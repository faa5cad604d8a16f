/**
 * What can degrade a node. Each cause comes and goes by itself; `input`: the node itself reports a problem of
 * its input.
 */
export type Cause =
  'input' | 'failing' | 'refused' | 'overloaded' | 'stands_still' | 'late' | 'waits' | 'clock';

/** Why a node is degraded. A cause that passes leaves the others in place. */
export class Problems {
  readonly #texts = new Map<Cause, string>();

  /** @param text for people; null when the cause has passed */
  set(cause: Cause, text: string | null): void {
    if (text === null) this.#texts.delete(cause);
    else this.#texts.set(cause, text);
  }

  has(cause: Cause): boolean {
    return this.#texts.has(cause);
  }

  /** The text of the oldest cause that still holds; null if there is none. */
  get text(): string | null {
    for (const text of this.#texts.values()) return text;
    return null;
  }
}
