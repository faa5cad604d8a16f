import { hkdfSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namingFile, readIfThere } from '../base/files.js';
import { makeOwnFolder } from '../base/folders.js';
import { hideSecret } from '../base/secrets.js';
import { stateError } from './version.js';

/** In a state folder: the secret that pseudonyms and encryption come from, where the topology gives none. */
export const KEY_FILE = 'privacy.key';

const KEY_BYTES = 32;
const KEY = /^[0-9a-f]{64}$/;

/**
 * The secret of a topology: what was given, else the content of {@link KEY_FILE}, which is made at the first
 * use, for the owner alone to read.
 * @throws Error `state.key` where the file holds no key
 */
export function privacySecret(stateFolder: string, given: string | null): Buffer {
  if (given !== null) return secretOf(given);
  const path = join(stateFolder, KEY_FILE);
  const written = readKey(path) ?? makeKey(stateFolder, path);
  if (!KEY.test(written))
    throw stateError(
      'state.key',
      `${path} holds no key of ${KEY_BYTES} bytes in hexadecimal: restore it from its copy. Without it, what was encrypted cannot be read`,
    );
  hideSecret(written);
  return secretOf(written);
}

/** Secrets of what is stored on disk. */
export interface StateKeys {
  /** What is written is encrypted with it; null: it is not. */
  readonly key: Uint8Array | null;
  /** Opens what was encrypted before; null or left out: there is none. */
  readonly formerKey?: Uint8Array | null;
}

export const NO_KEYS: StateKeys = { key: null };

/** The secret of a topology where there is one already: what was given, else the content of {@link KEY_FILE}. */
export function knownSecret(stateFolder: string, given: string | null): Buffer | null {
  if (given !== null) return secretOf(given);
  const written = readKey(join(stateFolder, KEY_FILE));
  if (written === undefined || !KEY.test(written)) return null;
  hideSecret(written);
  return secretOf(written);
}

/** The secret that a text stands for: what a key file holds means the same where it is given in another way. */
export const secretOf = (text: string): Buffer =>
  KEY.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'utf8');

/** A key for one purpose (RFC 5869): who learns one learns no other. */
export const derivedKey = (secret: Uint8Array, purpose: string, salt: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `csiflow ${purpose}`, KEY_BYTES));

const readKey = (path: string): string | undefined => readIfThere(path)?.toString().trim();

function makeKey(stateFolder: string, path: string): string {
  makeOwnFolder(stateFolder);
  const key = randomBytes(KEY_BYTES).toString('hex');
  try {
    writeFileSync(path, `${key}\n`, { flag: 'wx', mode: 0o600 });
    return key;
  } catch (error) {
    // Another thread was quicker.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(path)!;
    throw namingFile(error, path);
  }
}
