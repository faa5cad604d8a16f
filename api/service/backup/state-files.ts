import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KEY_FILE } from '../../../pipeline/state/index.js';
import { makeFolder } from '../../../pipeline/base/folders.js';

/**
 * Beside the state itself: accounts and keys, alerts already sent to live clients, results waiting for their
 * checkpoint.
 */
const STATE_FILE = /^[^.].*\.(json|key|told|spool)$/;

/** Names of files and folders. The key is excluded: it protects the copy, and a restore leaves it in place. */
export const stateFileNames = (stateFolder: string): readonly string[] =>
  readdirSync(stateFolder).filter((name) => STATE_FILE.test(name) && name !== KEY_FILE);

/** Paths of files. */
export const stateFiles = (stateFolder: string): readonly string[] =>
  stateFileNames(stateFolder).flatMap((name) => {
    const path = join(stateFolder, name);
    return statSync(path).isDirectory() ? readdirSync(path).map((file) => join(name, file)) : [name];
  });

/** Waiting results may be delivered in the meantime, which removes their file: they then need no copy. */
export function copyIfThere(from: string, to: string): void {
  makeFolder(dirname(to));
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
