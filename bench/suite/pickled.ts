/**
 * Lengths in bytes of the arguments of skipped opcodes of Python's pickles (protocols 2 to 4); all others
 * have none.
 */
const PASSED: Readonly<Record<number, number>> = { 0x80: 1, 0x95: 8, 0x4b: 1, 0x4d: 2, 0x4a: 4 };
const [SHORT_TEXT, TEXT, BYTES, GLOBAL] = [0x8c, 0x58, 0x43, 0x63];
const [MEMOIZE, PUT, LONG_PUT, GET, LONG_GET, STOP] = [0x94, 0x71, 0x72, 0x68, 0x6a, 0x2e];

/**
 * The strings of a pickled numpy array, in its order, as `.npy` files of objects store labels. Executes
 * nothing: skips opcodes that are neither strings nor references to them.
 * @param wanted whether a string is one of the array's, and not a name of the pickle's own
 * @throws Error if the pickle is truncated
 */
export function pickledTexts(file: Buffer, wanted: (text: string) => boolean): readonly string[] {
  const memo: (string | null)[] = [];
  const found: string[] = [];
  let last: string | null = null;
  for (let at = 10 + file.readUInt16LE(8); at < file.length;) {
    const code = file[at++]!;
    if (code === STOP) return found;
    const argument = argumentOf(file, code, at);
    at = argument.end;
    if (code === MEMOIZE) memo.push(last);
    else if (code === PUT || code === LONG_PUT) memo[argument.number] = last;
    else {
      last = code === GET || code === LONG_GET ? (memo[argument.number] ?? null) : argument.text;
      if (last !== null && wanted(last)) found.push(last);
    }
  }
  throw new Error('the pickle is cut off');
}

interface Argument {
  readonly text: string | null;
  readonly number: number;
  readonly end: number;
}

function argumentOf(file: Buffer, code: number, at: number): Argument {
  const text = (start: number, length: number): Argument => ({
    text: file.toString('utf8', start, start + length),
    number: NaN,
    end: start + length,
  });
  const number = (value: number, bytes: number): Argument => ({ text: null, number: value, end: at + bytes });
  if (code === TEXT) return text(at + 4, file.readUInt32LE(at));
  if (code === SHORT_TEXT || code === BYTES) return text(at + 1, file.readUInt8(at));
  if (code === PUT || code === GET) return number(file.readUInt8(at), 1);
  if (code === LONG_PUT || code === LONG_GET) return number(file.readUInt32LE(at), 4);
  if (code === GLOBAL) return number(NaN, file.indexOf(0x0a, file.indexOf(0x0a, at) + 1) + 1 - at);
  return number(NaN, PASSED[code] ?? 0);
}
