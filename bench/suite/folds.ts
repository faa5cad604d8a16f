/** Training and test items, by number. */
export interface Fold {
  /** The group that is held out. */
  readonly out: string;
  readonly train: readonly number[];
  readonly test: readonly number[];
}

/** Holds each group out once, as a whole: no item of a judged group was trained on. */
export function leaveOneOut(groups: readonly string[]): readonly Fold[] {
  const items = groups.map((_, index) => index);
  return [...new Set(groups)].sort().map((out) => ({
    out,
    train: items.filter((index) => groups[index] !== out),
    test: items.filter((index) => groups[index] === out),
  }));
}

/**
 * Splits a single group, to choose a method without a second group to hold out: `parts` contiguous parts of
 * its items, each held out once.
 */
export function partsOf(items: number, parts: number): readonly Fold[] {
  const part = (index: number) => Math.floor((index * parts) / items);
  return leaveOneOut(Array.from({ length: items }, (_, index) => `part ${part(index)}`));
}
