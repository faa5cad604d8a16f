import { distance } from 'fastest-levenshtein';

/** Longer words are not typing errors, and the distance takes time proportional to the product of lengths. */
const MAX_WORD_LENGTH = 64;

/** The word nearest to `word`, if one is near enough to be meant: up to a third of its letters may differ. */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let best: string | undefined;
  let least = Math.max(Math.min(1, word.length - 1), Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    if (candidate === word || candidate.length > MAX_WORD_LENGTH) continue;
    const away = changes(word.toLowerCase(), candidate.toLowerCase());
    if (away < least) {
      least = away;
      best = candidate;
    }
  }
  return best;
}

/** Levenshtein's distance, but swapped letters (`prot` for `port`) count as one error. */
const changes = (word: string, candidate: string): number =>
  sorted(word) === sorted(candidate) ? 1 : distance(word, candidate);

const sorted = (word: string): string => Array.from(word).sort().join('');
