import { JsonText } from './form.js';

/** Variants of one record; any others are written for each reader, as callers choose their number. */
const MAX_VARIANTS = 32;

/** JSON of records, written once for all readers who ask for the same variant, and dropped with its record. */
export class SharedTexts<K extends object> {
  readonly #texts = new WeakMap<K, Map<string, JsonText>>();

  of(record: K, variant: string, write: () => object): JsonText {
    let texts = this.#texts.get(record);
    if (!texts) this.#texts.set(record, (texts = new Map<string, JsonText>()));
    const known = texts.get(variant);
    if (known) return known;
    const text = new JsonText(write());
    if (texts.size < MAX_VARIANTS) texts.set(variant, text);
    return text;
  }
}
