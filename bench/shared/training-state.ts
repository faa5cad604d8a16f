import { existsSync, readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { InputError } from '../../pipeline/base/input-error.js';

/**
 * The state of an interrupted training, unchecked; null if there is no file yet.
 * @throws InputError that names a file that cannot be read
 */
export function readTrainingState<State>(file: string | undefined): Partial<State> | null {
  if (file === undefined || !existsSync(file)) return null;
  try {
    return deserialize(readFileSync(file)) as Partial<State> | null;
  } catch (error) {
    throw new InputError(`${file} is not a readable training state: remove it to start over.`, {
      cause: error,
    });
  }
}
