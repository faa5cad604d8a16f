import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hash, verify } from '@node-rs/argon2';
import { Type, type Static } from 'typebox';
import { ROLES, type Account, type Role } from './roles.js';
import { StateFile } from '../../../pipeline/state/state-file.js';

const UsersFile = Type.Object({
  version: Type.Integer(),
  users: Type.Array(
    Type.Object({ name: Type.String(), role: Type.Enum([...ROLES]), password: Type.String() }),
  ),
});

const LAYOUT = 1;

/** Hash of no user's password: verified for unknown names, so that the answer takes as long as for a known one. */
const DECOY = hash(randomBytes(16).toString('hex'));

type StoredUser = Static<typeof UsersFile>['users'][number];

/** A deployment has at least one admin: only an admin can create another. */
export class LastAdminError extends Error {}

/** The users of a deployment, in one file of the state folder; passwords as Argon2id. */
export class Users {
  readonly #file: StateFile<typeof UsersFile>;

  /** @throws Error with the file's name if it cannot be read. */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'users.json'), {
      schema: UsersFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, users: [] },
      remedy: 'restore it from a backup, or move it away: the next start then creates a new admin',
    });
  }

  /** On the first start: creates `admin` with a random password and returns that password, which is not stored. */
  async makeFirstAdmin(): Promise<string | null> {
    if (this.#file.content.users.length > 0) return null;
    const password = randomPassword();
    // Only the first of several processes that share users does this.
    return (await this.add('admin', 'admin', password)) ? password : null;
  }

  list(): readonly Account[] {
    return this.#file.content.users.map(({ name, role }) => ({ name, role }));
  }

  /** False if the name exists. @throws LastAdminError if there would be no admin. */
  async add(name: string, role: Role, password: string): Promise<boolean> {
    const user = { name, role, password: await hash(password) };
    return this.#file.exclusively(() => {
      if (this.#find(name)) return false;
      this.#write([...this.#file.content.users, user]);
      return true;
    });
  }

  /** False for an unknown name: a user removed concurrently does not come back. */
  async setPassword(name: string, password: string): Promise<boolean> {
    const hashed = await hash(password);
    return this.#replace(name, (user) => [{ ...user, password: hashed }]);
  }

  /** False for an unknown name. @throws LastAdminError */
  setRole(name: string, role: Role): boolean {
    return this.#replace(name, (user) => [{ ...user, role }]);
  }

  /** False for an unknown name. @throws LastAdminError */
  remove(name: string): boolean {
    return this.#replace(name, () => []);
  }

  /** The account of a name and a password, or null. Takes the same time for an unknown name. */
  async check(name: string, password: string): Promise<Account | null> {
    const user = this.#find(name);
    const right = await verify(user?.password ?? (await DECOY), password);
    return user && right ? { name, role: user.role } : null;
  }

  /** The current account of a name: a token outlives neither its user nor the user's role. */
  account(name: string): Account | null {
    const user = this.#find(name);
    return user ? { name, role: user.role } : null;
  }

  #find(name: string) {
    return this.#file.content.users.find((candidate) => candidate.name === name);
  }

  #replace(name: string, by: (user: StoredUser) => readonly StoredUser[]): boolean {
    return this.#file.exclusively(() => {
      const user = this.#find(name);
      if (!user) return false;
      const others = this.#file.content.users.filter((other) => other.name !== name);
      this.#write([...others, ...by(user)]);
      return true;
    });
  }

  #write(users: StoredUser[]): void {
    const admins = this.#file.content.users.filter(({ role }) => role === 'admin');
    if (!users.some(({ role }) => role === 'admin'))
      throw new LastAdminError(
        admins[0]
          ? `${admins[0].name} is the only admin: create another one first`
          : 'the first user must be an admin',
      );
    this.#file.write({ version: LAYOUT, users });
  }
}

/** Shown once and not stored. */
export const randomPassword = (): string => randomBytes(12).toString('base64url');
