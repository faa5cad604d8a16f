import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holderOf, lockFile } from '../base/file-lock.js';
import { makeOwnFolder } from '../base/folders.js';
import { codedError } from '../base/error-text.js';

/** In a state folder: a restore has begun and not finished. Holds the name of the folder that the old state was moved to. */
export const RESTORING = 'restoring';

/**
 * Locks a second process out of a state folder, also one in another container: two of them would each undo what the
 * other stored. The lock of a killed process is gone with it.
 * @param restores resumes an interrupted restore
 * @returns how to release it
 * @throws Error with code `state.locked`, naming the process that holds it; `state.restoring`, `lock.unsupported`
 */
export function lockFolder(folder: string, { restores = false } = {}): () => void {
  makeOwnFolder(folder);
  const unlock = lock(folder);
  if (restores || !existsSync(join(folder, RESTORING))) return unlock;
  unlock();
  throw codedError(
    'state.restoring',
    `a restore into ${folder} was interrupted, so state and stores may not match: run \`csiflow restore\` again, with the same backup`,
  );
}

function lock(folder: string): () => void {
  try {
    return lockFile(join(folder, 'lock'));
  } catch (error) {
    const holder = holderOf(error);
    if (holder === undefined) throw error;
    throw codedError(
      'state.locked',
      `${folder} is in use by ${holder}: stop that one first, or give this topology another state folder`,
      error,
    );
  }
}

/** Whether a process has locked the folder. */
export function isHeld(folder: string): boolean {
  try {
    lock(folder)();
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'state.locked') return true;
    // A read-only folder: a process that can write there runs under another account, and may be using it.
    if (error instanceof Error && 'code' in error && /^(EACCES|EPERM|EROFS)$/.test(String(error.code)))
      return false;
    throw error;
  }
}
