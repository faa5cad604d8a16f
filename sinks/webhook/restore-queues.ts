import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../pipeline/base/folders.js';

/**
 * Places a copy of the queues beside them; a copy without a file has no queues. The returned function puts it
 * in place; the previous queues stay under a name ending in `aside`.
 */
export function restoreQueues(copy: string, file: string, aside: string): () => void {
  const part = `${file}.part`;
  rmSync(part, { force: true });
  if (existsSync(copy)) {
    makeFolder(dirname(file));
    copyFileSync(copy, part);
  }
  return () => {
    // Queues already moved aside are the old ones: an earlier attempt was interrupted.
    if (existsSync(file) && !existsSync(`${file}.${aside}`)) renameSync(file, `${file}.${aside}`);
    rmSync(`${file}-lock`, { force: true });
    if (existsSync(part)) renameSync(part, file);
  };
}
