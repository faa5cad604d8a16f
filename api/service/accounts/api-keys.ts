import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { ROLES, type Account, type Role } from './roles.js';
import { StateFile } from '../../../pipeline/state/state-file.js';

const KeysFile = Type.Object({
  version: Type.Integer(),
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: Type.Enum([...ROLES]),
      /** SHA-256 of the secret in hexadecimal: 256 random bits need no slow hash. */
      hash: Type.String(),
      /** ISO 8601. */
      created_at: Type.String(),
      expires_at: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});
type StoredKey = Static<typeof KeysFile>['keys'][number];

/** Every key begins with it. */
export const KEY_PREFIX = 'csiflow_';

/** The public part of a key. */
export type ApiKey = Omit<StoredKey, 'hash'>;

const LAYOUT = 1;

/** Keys for services, in one file of the state folder. The key itself is shown once. */
export class ApiKeys {
  readonly #file: StateFile<typeof KeysFile>;

  /** @throws Error with the file's name if it cannot be read. */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'api-keys.json'), {
      schema: KeysFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, keys: [] },
      remedy: 'restore it from a backup, or move it away and create new keys',
    });
  }

  list(): readonly ApiKey[] {
    return this.#file.content.keys.map(told);
  }

  /** @param expiresAt ISO 8601; null: never */
  create(
    name: string,
    role: Role,
    expiresAt: string | null,
  ): { readonly key: string; readonly apiKey: ApiKey } {
    const id = randomBytes(6).toString('hex');
    const secret = randomBytes(32).toString('hex');
    const stored = {
      id,
      name,
      role,
      hash: sha256(secret).toString('hex'),
      created_at: new Date().toISOString(),
      expires_at: expiresAt,
    };
    this.#file.exclusively(() => {
      this.#file.write({ version: LAYOUT, keys: [...this.#file.content.keys, stored] });
    });
    return { key: `${KEY_PREFIX}${id}_${secret}`, apiKey: told(stored) };
  }

  /** False if no key has that id. */
  remove(id: string): boolean {
    return this.#file.exclusively(() => {
      const { keys } = this.#file.content;
      const left = keys.filter((key) => key.id !== id);
      if (left.length === keys.length) return false;
      this.#file.write({ version: LAYOUT, keys: left });
      return true;
    });
  }

  /** The account of a key, and its expiry; null for an unknown or expired key. Milliseconds since 1970. */
  check(key: string, now: number): { readonly account: Account; readonly expiresAt: number | null } | null {
    const stored = this.#find(key);
    if (!stored) return null;
    const expiresAt = stored.expires_at === null ? null : Date.parse(stored.expires_at);
    if (expiresAt !== null && expiresAt <= now) return null;
    return { account: { name: `key:${stored.name}`, role: stored.role }, expiresAt };
  }

  /** Whether it is a key of this service, even an expired one. */
  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  #find(key: string): StoredKey | undefined {
    const [, id, secret] = /^csiflow_([0-9a-f]{12})_([0-9a-f]{64})$/.exec(key) ?? [];
    const stored = this.#file.content.keys.find((candidate) => candidate.id === id);
    return stored && timingSafeEqual(sha256(secret!), Buffer.from(stored.hash, 'hex')) ? stored : undefined;
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const told = ({ id, name, role, created_at, expires_at }: StoredKey): ApiKey => ({
  id,
  name,
  role,
  created_at,
  expires_at,
});
