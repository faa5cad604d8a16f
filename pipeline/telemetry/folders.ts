import { existsSync, mkdirSync } from 'node:fs';
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
