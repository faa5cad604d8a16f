import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../pipeline/base/paths.js';

/** A file or folder of the test data that lies beside the project, or undefined where it is not there. */
export function sharedFile(path: string): string | undefined {
  const file = join(packageFolder, '..', 'shared', path);
  return existsSync(file) ? file : undefined;
}
