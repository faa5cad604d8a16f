import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../pipeline/base/paths.js';

/** A file or folder of the test data beside the project, or undefined if it does not exist. */
export function sharedFile(path: string): string | undefined {
  const file = join(packageFolder, '..', 'shared', path);
  return existsSync(file) ? file : undefined;
}
