import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holderOf, lockFile } from '../../pipeline/base/file-lock.js';
import { codedError } from '../../pipeline/base/error-text.js';

/** How to access the data of a file that another process owns. */
export const ASK_OWNER =
  'A DuckDB file has one owner at a time: query the csiflow that owns it through its service interface (/pose/history) or with `csiflow query` or `csiflow export`, or stop it.';

/**
 * Claims a DuckDB file. DuckDB locks it against other processes, but the lock belongs to the process: a
 * second instance in the same process can open the file too, and its close drops the lock for both. Rows are
 * then lost without an error. The lock beside the file also holds between threads.
 * @returns a function that releases it
 * @throws Error `store.locked` if a thread of this or another process has it
 */
export function claim(path: string): () => void {
  try {
    return lockFile(`${join(realpathSync(dirname(path)), basename(path))}.owner`);
  } catch (error) {
    const holder = holderOf(error);
    if (holder === undefined) throw error;
    throw codedError(
      'store.locked',
      `${path} is in use by ${holder}. ${ASK_OWNER} Or set another path for this node.`,
      error,
    );
  }
}
