import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearest } from '../../base/nearest.js';
import type { Location, Problems } from '../problems/problem.js';
import type { Reach } from './reach.js';
import { asWritten, type ScalarTree } from './tree.js';

const MAX_FILE_BYTES = 2 ** 20;

/** Adds a problem if a text would be too large as a file. */
export function boundText(text: string, shown: string, problems: Problems): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_FILE_BYTES)
    problems.add(
      'config.file.too_large',
      { file: shown, line: 1, column: 1, length: 1 },
      tooLarge(shown, bytes),
    );
}

const tooLarge = (shown: string, bytes: number): string => `${shown} has ${bytes} bytes; the limit is 1 MiB`;

/**
 * The text of a file of at most 1 MiB.
 * @param namedAt where the file is named; the beginning of the file if nothing names it.
 */
export function readBounded(
  file: string,
  shown: string,
  problems: Problems,
  namedAt?: Location,
): string | undefined {
  const location = namedAt ?? { file: shown, line: 1, column: 1, length: 1 };
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const stat = fstatSync(handle);
    if (!stat.isFile()) {
      problems.add('config.file.missing', location, `${shown} is not a file`);
      return undefined;
    }
    if (stat.size > MAX_FILE_BYTES) {
      problems.add('config.file.too_large', location, tooLarge(shown, stat.size));
      return undefined;
    }
    const bytes = readFileSync(handle);
    if (isUtf16(bytes)) {
      problems.add('config.file.encoding', location, `${shown} is UTF-16 text: save it as UTF-8`);
      return undefined;
    }
    return bytes.toString().replace(/^\uFEFF/, '');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const why =
      error.code === 'ENOENT' ? 'the file does not exist' : `it cannot be read (${String(error.code)})`;
    problems.add('config.file.missing', location, `${shown}: ${why}`, {
      suggestion: nearestFile(shown, file),
    });
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** By its byte order mark, or by the zero byte of its first letter. */
const isUtf16 = (bytes: Buffer): boolean =>
  /^(fffe|feff)/.test(bytes.toString('hex', 0, 2)) ||
  (bytes.length > 1 && (bytes[0] === 0) !== (bytes[1] === 0));

/** Whether a topology may name a file; the problem does not reveal whether it exists. @param file absolute */
export function checkReach(
  file: string,
  named: ScalarTree,
  reach: Reach | undefined,
  problems: Problems,
): boolean {
  if (!reach || reach.allowsFile(file)) return true;
  const written = asWritten(named);
  const shown = written.length > 100 ? `${written.slice(0, 97)}...` : written;
  const message = `\`${shown}\` is outside the topologies' folder, possibly through a link, or holds code: topologies that arrive over the network may only name other files inside it`;
  problems.add('config.file.outside', named.location, message);
  return false;
}

/** A file in the same folder with a similar name. */
function nearestFile(shown: string, file: string): string | undefined {
  const folder = dirname(file);
  // Node rejects names with a null character, even to check them.
  if (folder.includes('\0')) return undefined;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const found = nearest(basename(file), readdirSync(folder));
  return found === undefined ? undefined : join(dirname(shown), found);
}
