import { mkdtempSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../pipeline/base/error-text.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { makeFolder } from '../../pipeline/base/folders.js';

/** Creates the folder of `--out`, before hours of work. @throws CommandError if nothing can be written there */
export function prepareOut(folder: string): void {
  try {
    makeFolder(folder);
    rmdirSync(mkdtempSync(join(folder, 'csiflow-')));
  } catch (error) {
    throw new CommandError(
      `--out ${folder} must be a folder that can be written to: ${errorText(error)}`,
      EXIT.unavailable,
    );
  }
}
