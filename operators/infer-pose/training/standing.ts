import { existsSync, readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { PARAMETERS } from '../networks/layers.js';
import { InputError } from '../../../pipeline/base/input-error.js';
import { replaceFile } from '../../../pipeline/base/files.js';
import type { Standing } from './train.js';

/** State of a training in a file: `csiflow train pose --state` resumes from it. */
export function writeStanding(file: string, standing: Standing): void {
  replaceFile(file, serialize(standing));
}

/**
 * Null if the file does not exist.
 * @throws InputError with the file's name if it is not a training of this network
 */
export function readStanding(file: string): Standing | null {
  if (!existsSync(file)) return null;
  let standing: Partial<Standing> | null;
  try {
    standing = deserialize(readFileSync(file)) as Partial<Standing> | null;
  } catch (error) {
    throw new InputError(`${file} is not a readable training state: remove it to start over.`, {
      cause: error,
    });
  }
  if (standing?.adam?.parameters.length !== PARAMETERS)
    throw new InputError(`${file} is the training state of another network: remove it to start over.`);
  return standing as Standing;
}
