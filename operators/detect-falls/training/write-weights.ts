import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from '../../../pipeline/base/files.js';

/** Weights as written to a file. */
export interface Written {
  readonly file: string;
  /** Digest of the file, hexadecimal. */
  readonly sha256: string;
}

/** Writes weights as JSON, with the folders that are missing. */
export function writeWeights<Weights extends object>(file: string, weights: Weights): Weights & Written {
  const text = `${JSON.stringify(weights)}\n`;
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, text);
  return { ...weights, file, sha256: createHash('sha256').update(text).digest('hex') };
}
