/** What can degrade a node. Each comes and goes by itself; `input`: the node itself says so of what it works on. */
export type Cause =
  'input' | 'failing' | 'refused' | 'overloaded' | 'stands_still' | 'late' | 'waits' | 'clock';

/** Why a node is degraded. A cause that passes leaves the others in place. */
export class Problems {
  readonly #texts = new Map<Cause, string>();

  /** @param text for a person; null where the cause has passed */
  set(cause: Cause, text: string | null): void {
    if (text === null) this.#texts.delete(cause);
    else this.#texts.set(cause, text);
  }

  has(cause: Cause): boolean {
    return this.#texts.has(cause);
  }

  /** That of the oldest cause that still holds; null where there is none. */
  get text(): string | null {
    for (const text of this.#texts.values()) return text;
    return null;
  }
}
