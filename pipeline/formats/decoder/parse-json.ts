/** Deeper than any record of JSON; to parse a million levels takes seconds in which nothing else is done. */
const MAX_LEVELS = 64;

/** The value of a record of JSON. @param longest in characters @throws Error where it is none, longer, or nested too deep */
export function parseJson(text: string, longest: number): unknown {
  if (text.length > longest) throw new Error(`longer than ${longest} characters`);
  if (isDeep(text)) throw new Error(`nested more than ${MAX_LEVELS} levels deep`);
  return JSON.parse(text);
}

/** Brackets within texts count too: nobody writes so many. */
function isDeep(text: string): boolean {
  for (let index = 0, level = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) level++;
    else if (code === 0x5d || code === 0x7d) level--;
    if (level > MAX_LEVELS) return true;
  }
  return false;
}
