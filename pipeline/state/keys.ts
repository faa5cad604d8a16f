import { hkdfSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namingFile, readIfThere } from '../base/files.js';
import { makeOwnFolder } from '../base/folders.js';
import { hideSecret } from '../base/secrets.js';
import { codedError } from '../base/error-text.js';

/**
 * File in a state folder: the secret from which pseudonyms and encryption keys are derived, unless the
 * topology sets one.
 */
export const KEY_FILE = 'privacy.key';

const KEY_BYTES = 32;
const KEY = /^[0-9a-f]{64}$/;

/**
 * The secret of a topology: the configured one, otherwise the content of {@link KEY_FILE}, which is created
 * on first use, readable only by its owner.
 * @throws Error `state.key` if the file does not hold a key
 */
export function privacySecret(stateFolder: string, given: string | null): Buffer {
  if (given !== null) return secretOf(given);
  const path = join(stateFolder, KEY_FILE);
  const written = readKey(path) ?? makeKey(stateFolder, path);
  if (!KEY.test(written))
    throw codedError(
      'state.key',
      `${path} does not hold a key of ${KEY_BYTES} bytes in hexadecimal: restore it from a copy. Encrypted data cannot be read without it`,
    );
  hideSecret(written);
  return secretOf(written);
}

/** Secrets of data stored on disk. */
export interface StateKeys {
  /** Encrypts new data; null: no encryption. */
  readonly key: Uint8Array | null;
  /** Decrypts older data; null or absent: there is none. */
  readonly formerKey?: Uint8Array | null;
}

export const NO_KEYS: StateKeys = { key: null };

/** The secret of a topology if it already has one: the configured one, otherwise the content of {@link KEY_FILE}. */
export function knownSecret(stateFolder: string, given: string | null): Buffer | null {
  if (given !== null) return secretOf(given);
  const written = readKey(join(stateFolder, KEY_FILE));
  if (written === undefined || !KEY.test(written)) return null;
  hideSecret(written);
  return secretOf(written);
}

/** The secret in a text: the content of a key file means the same if it is configured in another way. */
export const secretOf = (text: string): Buffer =>
  KEY.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'utf8');

/** A key for one purpose (RFC 5869): knowing one does not reveal another. */
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
    // Another thread was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(path)!;
    throw namingFile(error, path);
  }
}
