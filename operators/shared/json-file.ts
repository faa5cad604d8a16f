import { readFileSync } from 'node:fs';
import { errorText } from '../../pipeline/base/error-text.js';

/** @throws Error that names the file where it is not JSON, or cannot be read. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = errorText(error);
    throw new Error(`${file} cannot be read as JSON: ${reason}. Make it anew, or copy it again.`, {
      cause: error,
    });
  }
}
