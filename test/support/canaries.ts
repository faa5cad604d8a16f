import { randomBytes } from 'node:crypto';

/** Texts that are planted where secrets are, to be searched for where none may be. */
export class Canaries {
  readonly #planted = new Map<string, string>();

  /** A text of its own for a place. */
  plant(place: string): string {
    const canary = `cAnary-${randomBytes(9).toString('hex')}`;
    this.#planted.set(place, canary);
    return canary;
  }

  /** Places whose text stands in `text`: as it is, or in base64, in hexadecimal, or a part of it. */
  found(text: string): readonly string[] {
    return [...this.#planted]
      .filter(([, canary]) => formsOf(canary).some((form) => text.includes(form)))
      .map(([place]) => place);
  }
}

function formsOf(canary: string): readonly string[] {
  // In base64 a text looks differently at each of three offsets; its ends depend on its neighbours.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(' '.repeat(offset) + canary)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  const half = canary.slice(7, 21);
  return [canary, half, Buffer.from(canary).toString('hex'), ...base64];
}
