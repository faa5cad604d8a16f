import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { derivedKey } from './keys.js';

const [SALT_BYTES, NONCE_BYTES, TAG_BYTES] = [16, 12, 16];
const HEAD_BYTES = SALT_BYTES + NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts values with AES-256-GCM. Each instance derives its own key with a random salt, so nonces can be
 * counted: however many values it writes, no nonce repeats with the same key.
 */
export class Seal {
  readonly #secret: Uint8Array;
  readonly #salt = randomBytes(SALT_BYTES);
  readonly #keys = new Map<string, Buffer>();
  #count = 0;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** @param owner of the value: it cannot be decrypted for another owner */
  close(value: Uint8Array, owner: string): Buffer {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeDoubleLE(++this.#count, 0);
    const cipher = createCipheriv('aes-256-gcm', this.#key(this.#salt), nonce);
    cipher.setAAD(Buffer.from(owner));
    const sealed = Buffer.allocUnsafeSlow(HEAD_BYTES + value.length);
    sealed.set(this.#salt, 0);
    sealed.set(nonce, SALT_BYTES);
    sealed.set(cipher.update(value), HEAD_BYTES);
    cipher.final();
    sealed.set(cipher.getAuthTag(), SALT_BYTES + NONCE_BYTES);
    return sealed;
  }

  /** @throws Error if it was encrypted with another secret or for another owner, or was changed */
  open(sealed: Uint8Array, owner: string): Buffer {
    const salt = sealed.subarray(0, SALT_BYTES);
    const nonce = sealed.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key(salt), nonce);
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(sealed.subarray(SALT_BYTES + NONCE_BYTES, HEAD_BYTES));
    const value = decipher.update(sealed.subarray(HEAD_BYTES));
    decipher.final();
    return value;
  }

  #key(salt: Uint8Array): Buffer {
    const name = Buffer.from(salt).toString('hex');
    const known = this.#keys.get(name);
    if (known) return known;
    const key = derivedKey(this.#secret, 'state', salt);
    this.#keys.set(name, key);
    return key;
  }
}
