import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KEY_FILE } from '../../../pipeline/state/index.js';
import { makeFolder } from '../../../pipeline/base/folders.js';

/** Beside the state itself: accounts and keys, alerts that live clients were told, results that wait for their checkpoint. */
const STATE_FILE = /^[^.].*\.(json|key|told|spool)$/;

/** Names of files and folders. The key is not among them: it guards what is copied, and stays where it is at a restore. */
export const stateFileNames = (stateFolder: string): readonly string[] =>
  readdirSync(stateFolder).filter((name) => STATE_FILE.test(name) && name !== KEY_FILE);

/** Paths of files. */
export const stateFiles = (stateFolder: string): readonly string[] =>
  stateFileNames(stateFolder).flatMap((name) => {
    const path = join(stateFolder, name);
    return statSync(path).isDirectory() ? readdirSync(path).map((file) => join(name, file)) : [name];
  });

/** Results that wait are delivered meanwhile, and their file is gone: they need no copy then. */
export function copyIfThere(from: string, to: string): void {
  makeFolder(dirname(to));
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
