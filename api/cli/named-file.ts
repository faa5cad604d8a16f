import { readFileSync } from 'node:fs';
import { errorText } from '../../pipeline/base/error-text.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';

/** The text of a file that an argument or option names. @throws CommandError if it cannot be read */
export function readNamedFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new CommandError(
      missing ? `${file} does not exist` : `${file} cannot be read: ${errorText(error)}`,
      EXIT.invalid,
    );
  }
}
