import type { Turns } from './turns.js';

/** Deeper than any record; parsing millions of levels would block the event loop for seconds. */
const MAX_LEVELS = 64;
/** Bytes to examine before yielding. */
const STRETCH = 65_536;

/**
 * Locates the elements of a JSON array: for each, the first byte and the one after the last. Does not examine
 * what is inside them.
 * @returns null if the bytes are not an array, or are nested too deep
 */
export async function elementsOf(bytes: Uint8Array, turns: Turns): Promise<readonly number[] | null> {
  const ends: number[] = [];
  let [level, start, inText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    if (at % STRETCH === 0) await turns.giveWay();
    const byte = bytes[at]!;
    if (inText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inText = false;
      continue;
    }
    if (level === 0 && byte !== OPENING[0] && byte > BLANK) return null;
    if (byte === QUOTE) inText = true;
    else if (OPENING.includes(byte)) {
      if (level === 0 && ends.length > 0) return null;
      if (++level > MAX_LEVELS) return null;
      if (level === 1) start = at + 1;
    } else if (CLOSING.includes(byte) || byte === COMMA) {
      if (level === 1) {
        ends.push(start, at);
        start = at + 1;
      }
      if (byte !== COMMA) level--;
    }
  }
  return level === 0 && !inText && ends.length > 0 ? ends : null;
}

const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];
const [QUOTE, BACKSLASH, COMMA, BLANK] = [0x22, 0x5c, 0x2c, 0x20];
