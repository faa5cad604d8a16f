/** Deeper than any JSON record; parsing a million levels would block the event loop for seconds. */
const MAX_LEVELS = 64;

/**
 * The value of a JSON record.
 * @param longest in characters
 * @throws Error if it is invalid, longer, or nested too deep
 */
export function parseJson(text: string, longest: number): unknown {
  if (text.length > longest) throw new Error(`longer than ${longest} characters`);
  if (isDeep(text)) throw new Error(`nested more than ${MAX_LEVELS} levels deep`);
  return JSON.parse(text);
}

/** Brackets within texts count too: real records do not have that many. */
function isDeep(text: string): boolean {
  for (let index = 0, level = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) level++;
    else if (code === 0x5d || code === 0x7d) level--;
    if (level > MAX_LEVELS) return true;
  }
  return false;
}
