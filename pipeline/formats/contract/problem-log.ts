import type { Problem } from './raw-builder.js';

/**
 * Reports the first problem of each kind in a file when it occurs, and the number of further ones at the end:
 * a joined or damaged file may have a problem in every record.
 */
export class ProblemLog {
  readonly #say: (message: string, problem: Pick<Problem, 'code' | 'location'>) => void;
  readonly #more = new Map<string, { count: number; location: string }>();

  /** @param say gets a message that starts with the location */
  constructor(say: (message: string, problem: Pick<Problem, 'code' | 'location'>) => void) {
    this.#say = say;
  }

  see({ code, location, message }: Problem): void {
    const more = this.#more.get(code);
    if (more) {
      more.count++;
      more.location = location;
      return;
    }
    this.#more.set(code, { count: 0, location });
    this.#say(`${location}: ${message}`, { code, location });
  }

  /** Call it when reading ends. */
  end(): void {
    for (const [code, { count, location }] of this.#more)
      if (count > 0)
        this.#say(`${location}: the last of ${count} more problems of this kind (${code})`, {
          code,
          location,
        });
    this.#more.clear();
  }
}
