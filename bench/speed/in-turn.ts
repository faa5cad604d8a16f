/**
 * The entries of a list with their indices, backwards in every second round: which version comes first, or after which,
 * must not decide.
 */
export function inTurn<T>(
  list: readonly T[],
  round: number,
): readonly (readonly [index: number, entry: T])[] {
  const entries = [...list.entries()];
  return round % 2 === 0 ? entries : entries.reverse();
}
