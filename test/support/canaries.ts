import { randomBytes } from 'node:crypto';

/** Texts that are planted in place of secrets, to be searched for in outputs. */
export class Canaries {
  readonly #planted = new Map<string, string>();

  /** A unique text for a place. */
  plant(place: string): string {
    const canary = `cAnary-${randomBytes(9).toString('hex')}`;
    this.#planted.set(place, canary);
    return canary;
  }

  /** Places whose text occurs in `text`: in plain form, in base64, in hexadecimal, or in part. */
  found(text: string): readonly string[] {
    return [...this.#planted]
      .filter(([, canary]) => formsOf(canary).some((form) => text.includes(form)))
      .map(([place]) => place);
  }
}

function formsOf(canary: string): readonly string[] {
  // In base64 a text has three forms, one per offset; its ends depend on its neighbours.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(' '.repeat(offset) + canary)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  const half = canary.slice(7, 21);
  return [canary, half, Buffer.from(canary).toString('hex'), ...base64];
}
