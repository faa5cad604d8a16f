import type { Problem } from './raw-builder.js';

/**
 * Says the first problem of each kind in a file when it comes, and how many more there were at the end: a file that was
 * joined or damaged may have one for each of its records.
 */
export class ProblemLog {
  readonly #say: (message: string, problem: Pick<Problem, 'code' | 'place'>) => void;
  readonly #more = new Map<string, { count: number; place: string }>();

  /** @param say gets a message that starts with the place */
  constructor(say: (message: string, problem: Pick<Problem, 'code' | 'place'>) => void) {
    this.#say = say;
  }

  see({ code, place, message }: Problem): void {
    const more = this.#more.get(code);
    if (more) {
      more.count++;
      more.place = place;
      return;
    }
    this.#more.set(code, { count: 0, place });
    this.#say(`${place}: ${message}`, { code, place });
  }

  /** Call it where reading ends. */
  end(): void {
    for (const [code, { count, place }] of this.#more)
      if (count > 0)
        this.#say(`${place}: the last of ${count} more problems of this kind (${code})`, { code, place });
    this.#more.clear();
  }
}
