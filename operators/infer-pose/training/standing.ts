import { existsSync, readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { PARAMETERS } from '../layers.js';
import { replaceFile } from '../../../pipeline/base/files.js';
import type { Standing } from './train.js';

/** Where a training stands, in a file: what `csiflow train pose --state` goes on from. */
export function keepStanding(file: string, standing: Standing): void {
  replaceFile(file, serialize(standing));
}

/**
 * Null where the file does not exist.
 * @throws Error that names the file where it holds no training of this network
 */
export function readStanding(file: string): Standing | null {
  if (!existsSync(file)) return null;
  let standing: Partial<Standing> | null;
  try {
    standing = deserialize(readFileSync(file)) as Partial<Standing> | null;
  } catch (error) {
    throw new Error(`${file} holds no training that can be read: remove it to begin anew.`, { cause: error });
  }
  if (standing?.adam?.parameters.length !== PARAMETERS)
    throw new Error(`${file} holds the training of another network: remove it to begin anew.`);
  return standing as Standing;
}
