import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { StateFile } from '../../../pipeline/state/state-file.js';
import { codedError } from '../../../pipeline/base/error-text.js';

const KeysFile = Type.Object({
  version: Type.Integer(),
  /** Newest first; the first one signs. */
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      /** Base64. */
      secret: Type.String({ minLength: 44 }),
      /** It signs nothing from this time on; ISO 8601. */
      retired: Type.Union([Type.String(), Type.Null()]),
    }),
    { minItems: 1 },
  ),
});

const LAYOUT = 1;

/** Keys that sign tokens, in the state folder. A retired key still checks its tokens until they expire. */
export class SigningKeys {
  readonly #file: StateFile<typeof KeysFile>;

  /** Creates a first key if there is none. @throws Error with the file's name if it cannot be read. */
  constructor(stateFolder: string) {
    const initial = { version: LAYOUT, keys: [firstKey(stateFolder)] };
    const path = join(stateFolder, 'signing-keys.json');
    this.#file = new StateFile(path, {
      schema: KeysFile,
      layout: LAYOUT,
      initial,
      remedy: 'restore it from a backup, or remove it to create a new key: all users then log in again',
    });
    if (existsSync(path)) return;
    this.#file.exclusively(() => {
      if (!existsSync(path)) this.#file.write(initial);
    });
  }

  /** The current signing key. */
  get newest(): { readonly id: string; readonly key: KeyObject } {
    const stored = this.#file.content.keys[0]!;
    return { id: stored.id, key: keyOf(stored) };
  }

  /** The key named in a token's header; tokens of the first csiflow name none. Null for an unknown key. */
  find(id: string | undefined): KeyObject | null {
    const key = this.#file.content.keys.find((candidate) => candidate.id === (id ?? FIRST));
    return key ? keyOf(key) : null;
  }

  /**
   * Creates a new key, which signs from now on; nobody is logged out.
   * @param now milliseconds since 1970
   * @param lifeSeconds of the longest token: older retired keys are removed
   */
  rotate(now: number, lifeSeconds: number): string {
    const retired = new Date(now).toISOString();
    const key = newKey();
    this.#file.exclusively(() => {
      const earlier = this.#file.content.keys
        .map((one) => ({ ...one, retired: one.retired ?? retired }))
        .filter((one) => Date.parse(one.retired) + lifeSeconds * 1000 >= now);
      this.#file.write({ version: LAYOUT, keys: [key, ...earlier] });
    });
    return key.id;
  }
}

const FIRST = 'first';

/** Parsed keys by stored key, for as long as the file's content holds them: each call checks with one. */
const keys = new WeakMap<object, KeyObject>();

/**
 * Declares the type: given bytes, jsonwebtoken first tries to parse them as a private or public key, which
 * takes 0.7 ms.
 */
function keyOf(stored: { readonly secret: string }): KeyObject {
  const known = keys.get(stored);
  if (known) return known;
  const key = createSecretKey(stored.secret, 'base64');
  keys.set(stored, key);
  return key;
}

const newKey = () => ({
  id: randomBytes(6).toString('base64url'),
  secret: randomBytes(48).toString('base64'),
  retired: null,
});

/** The key of a csiflow before 0.2, which stored only one, or a new one. */
function firstKey(stateFolder: string) {
  const file = join(stateFolder, 'token.key');
  if (!existsSync(file)) return newKey();
  const secret = readFileSync(file, 'utf8').trim();
  if (Buffer.from(secret, 'base64').length < 32)
    throw codedError(
      'state.corrupt',
      `${file} is too short for a signing key: remove it to create a new one`,
    );
  return { id: FIRST, secret, retired: null };
}
