import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. One level at a time: on a file system that takes no folders (/proc),
 * Node's own recursive mkdir turns in circles for ever.
 * @param mode rights of the folder itself, where it is made; those above it are made as usual
 * @throws the system's error for the first folder that cannot be made.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have made it in between.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Makes a folder that its owner alone may look into: what lies in a state folder is about people. */
export const makeOwnFolder = (folder: string): void => {
  makeFolder(folder, 0o700);
};

/**
 * Makes a folder that is there its owner's alone, where everybody may look into it: an earlier csiflow made it so.
 * Rights that were given to a group alone are somebody's will, and another owner's folder is not ours.
 */
export function tightenOwnFolder(folder: string): void {
  const { mode, uid } = statSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o007) === 0) return;
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    // A file system without rights of its own (a share, a stick): they are those of its mount.
    if (!(error instanceof Error && 'code' in error && /^(EPERM|ENOTSUP)$/.test(String(error.code))))
      throw error;
  }
}
