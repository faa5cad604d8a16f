/** A text that is not to be shown, and what is shown instead. */
export interface Hidden {
  readonly text: string;
  readonly shown: string;
}

/** What is shown instead of a secret. */
export const SECRET = '***';

/** Characters in a row by which a text is known: a message may hold a part of it, cut off or taken apart. */
const KNOWN_BY = 6;

/**
 * A message without what is hidden, nor parts of it. What is shorter than {@link KNOWN_BY} counts as a word of its own.
 * @param written what the reader wrote himself. It is shown as it is: to hide what he guessed would tell him that he
 * guessed right.
 */
export function redact(message: string, hidden: readonly Hidden[], written = ''): string {
  let shown = message;
  // The longest first: one may be part of another.
  for (const one of [...hidden].sort((a, b) => b.text.length - a.text.length))
    shown = one.text.length < KNOWN_BY ? withoutWord(shown, one, written) : withoutParts(shown, one, written);
  return shown;
}

function withoutWord(message: string, { text, shown }: Hidden, written: string): string {
  const word = new RegExp(`(?<![\\w])${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}(?![\\w])`, 'g');
  return written.search(word) < 0 ? message.replaceAll(word, () => shown) : message;
}

function withoutParts(message: string, { text, shown }: Hidden, written: string): string {
  // As messages quote texts.
  const forms = [text, JSON.stringify(text).slice(1, -1)];
  let result = '';
  for (let at = 0; at < message.length;) {
    const length = Math.max(...forms.map((form) => commonLength(message, at, form)));
    const part = message.slice(at, at + Math.max(1, length));
    result += length < KNOWN_BY || written.includes(part) ? part : shown;
    at += part.length;
  }
  return result;
}

/** Length of the longest part of `text` that stands at `at`; 0 where it is shorter than {@link KNOWN_BY}. */
function commonLength(message: string, at: number, text: string): number {
  let length = KNOWN_BY;
  if (message.length - at < length || !text.includes(message.slice(at, at + length))) return 0;
  while (at + length < message.length && text.includes(message.slice(at, at + length + 1))) length++;
  return length;
}
