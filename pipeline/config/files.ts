import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearest } from '../base/nearest.js';
import type { Location, Problems } from './problem.js';
import type { Reach } from './reach.js';
import { asWritten, type ScalarTree } from './tree.js';

const MAX_FILE_BYTES = 2 ** 20;

/**
 * The text of a file of at most 1 MiB.
 * @param namedAt where the file is named; its own beginning where nothing names it.
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
      problems.add('config.file.missing', location, `${shown} is no file`);
      return undefined;
    }
    if (stat.size > MAX_FILE_BYTES) {
      problems.add('config.file.too_large', location, `${shown} has ${stat.size} bytes; 1 MiB is the most`);
      return undefined;
    }
    return readFileSync(handle, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const why =
      error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${String(error.code)})`;
    problems.add('config.file.missing', location, `${shown}: ${why}`, {
      suggestion: nearestFile(shown, file),
    });
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Whether a topology may name a file; the problem says nothing of what is there. @param file absolute */
export function checkReach(
  file: string,
  named: ScalarTree,
  reach: Reach | undefined,
  problems: Problems,
): boolean {
  if (!reach || reach.allowsFile(file)) return true;
  const written = asWritten(named);
  const shown = written.length > 100 ? `${written.slice(0, 97)}...` : written;
  const message = `\`${shown}\` lies outside of the topologies' folder, also by links: over the network a topology may name files in it alone`;
  problems.add('config.file.outside', named.location, message);
  return false;
}

/** A file of the same folder whose name is near. */
function nearestFile(shown: string, file: string): string | undefined {
  const folder = dirname(file);
  // A name with a null character is no place to look in: Node refuses even to ask.
  if (folder.includes('\0')) return undefined;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const found = nearest(basename(file), readdirSync(folder));
  return found === undefined ? undefined : join(dirname(shown), found);
}
