import { distance } from 'fastest-levenshtein';

/** Longer words are no slips of the pen, and the distance takes their product. */
const LONGEST = 64;

/** The word nearest to `word`, where one is near enough to be meant: a third of its letters may differ. */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    if (candidate === word || candidate.length > LONGEST) continue;
    const away = distance(word.toLowerCase(), candidate.toLowerCase());
    if (away < least) {
      least = away;
      best = candidate;
    }
  }
  return best;
}
