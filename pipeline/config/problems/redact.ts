/** A text that must not be shown, and its replacement. */
export interface Hidden {
  readonly text: string;
  readonly shown: string;
}

/** The replacement of a secret. */
export const SECRET = '***';

/** Number of consecutive characters that identify a text: a message may contain a part of it, cut off or split. */
const KNOWN_BY = 6;

/**
 * A message without hidden texts or parts of them. Texts shorter than {@link KNOWN_BY} are hidden only as
 * whole words.
 * @param written text by the reader, shown unchanged: hiding a guess would confirm it.
 */
export function redact(message: string, hidden: readonly Hidden[], written = ''): string {
  let shown = message;
  // Longest first: one may be part of another.
  for (const one of [...hidden].sort((a, b) => b.text.length - a.text.length))
    shown = one.text.length < KNOWN_BY ? withoutWord(shown, one, written) : withoutParts(shown, one, written);
  return shown;
}

function withoutWord(message: string, { text, shown }: Hidden, written: string): string {
  const word = new RegExp(`(?<![\\w])${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}(?![\\w])`, 'g');
  return written.search(word) < 0 ? message.replaceAll(word, () => shown) : message;
}

function withoutParts(message: string, { text, shown }: Hidden, written: string): string {
  // In the form in which messages quote texts.
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

/** Length of the longest part of `text` at `at`; 0 if it is shorter than {@link KNOWN_BY}. */
function commonLength(message: string, at: number, text: string): number {
  let length = KNOWN_BY;
  if (message.length - at < length || !text.includes(message.slice(at, at + length))) return 0;
  while (at + length < message.length && text.includes(message.slice(at, at + length + 1))) length++;
  return length;
}
