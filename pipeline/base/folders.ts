import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents, one level at a time: on a file system without mkdir (/proc), Node's own
 * recursive mkdir loops forever.
 * @param mode permissions of the folder itself, if it is created; its parents get the usual ones
 * @throws the system's error for the first folder that cannot be created.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it in between.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Creates a folder that only its owner can read: a state folder holds data about people. */
export const makeOwnFolder = (folder: string): void => {
  makeFolder(folder, 0o700);
};

/**
 * Restricts an existing folder to its owner if everybody can read it, as older versions of csiflow created
 * it. Permissions granted to a group alone are deliberate and stay; folders of other owners are not ours to
 * change.
 */
export function tightenOwnFolder(folder: string): void {
  const { mode, uid } = statSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o007) === 0) return;
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    // A file system without permissions (a network share, a USB stick): those of its mount apply.
    if (!(error instanceof Error && 'code' in error && /^(EPERM|ENOTSUP)$/.test(String(error.code))))
      throw error;
  }
}
