import { readFileSync } from 'node:fs';
import { errorText } from '../../pipeline/base/error-text.js';
import { InputError } from '../../pipeline/base/input-error.js';

/** @throws InputError with the file's name if it is not JSON, or cannot be read. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = errorText(error);
    throw new InputError(`${file} cannot be read as JSON: ${reason}. Create it again, or copy it again.`, {
      cause: error,
    });
  }
}
