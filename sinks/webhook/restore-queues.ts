import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../pipeline/base/folders.js';

/**
 * Brings a copy of the queues beside them; a copy without file is of no queues. What it gives puts it in their place;
 * what was there stays under a name that ends in `aside`.
 */
export function restoreQueues(copy: string, file: string, aside: string): () => void {
  const part = `${file}.part`;
  rmSync(part, { force: true });
  if (existsSync(copy)) {
    makeFolder(dirname(file));
    copyFileSync(copy, part);
  }
  return () => {
    // What lies aside already is the old one: a try before this one was broken off.
    if (existsSync(file) && !existsSync(`${file}.${aside}`)) renameSync(file, `${file}.${aside}`);
    rmSync(`${file}-lock`, { force: true });
    if (existsSync(part)) renameSync(part, file);
  };
}
