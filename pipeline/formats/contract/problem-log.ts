import { causeOf } from '../../base/cause.js';
import type { Problem } from './raw-builder.js';

/**
 * Reports the first problem of each cause in a file when it occurs, and the number of further ones at the
 * end: a joined or damaged file may have a problem in every record. Of many causes with one code, the later
 * ones count as the first.
 */
export class ProblemLog {
  readonly #say: (message: string, problem: Pick<Problem, 'code' | 'location'>) => void;
  readonly #more = new Map<string, { readonly code: string; count: number; location: string }>();

  /** @param say gets a message that starts with the location */
  constructor(say: (message: string, problem: Pick<Problem, 'code' | 'location'>) => void) {
    this.#say = say;
  }

  see({ code, location, message }: Problem): void {
    const key = `${code} ${causeOf(message)}`;
    const more = this.#more.get(key) ?? (this.#more.size < MAX_CAUSES ? undefined : this.#alike(code));
    if (more) {
      more.count++;
      more.location = location;
      return;
    }
    this.#more.set(key, { code, count: 0, location });
    this.#say(`${location}: ${message}`, { code, location });
  }

  /** Call it when reading ends. */
  end(): void {
    for (const { code, count, location } of this.#more.values())
      if (count > 0) this.#say(`${location}: ${moreOf(count)} of this kind (${code})`, { code, location });
    this.#more.clear();
  }

  #alike(code: string) {
    return [...this.#more.values()].find((more) => more.code === code);
  }
}

const moreOf = (count: number): string =>
  count === 1 ? 'one more problem' : `the last of ${count} more problems`;

/** Codes are few; messages may contain parts of the file. */
const MAX_CAUSES = 32;
