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

/** Of no user: verified against when a name is unknown, so that the answer takes as long as for a known one. */
const DECOY = hash(randomBytes(16).toString('hex'));

type StoredUser = Static<typeof UsersFile>['users'][number];

/** A deployment has at least one admin: who else could make another? */
export class LastAdminError extends Error {}

/** The people of a deployment, in one file of the state folder; passwords as Argon2id. */
export class Users {
  readonly #file: StateFile<typeof UsersFile>;

  /** @throws Error naming the file where it cannot be read. */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'users.json'), {
      schema: UsersFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, users: [] },
      remedy: 'restore it from a backup, or move it away, and the next start makes a new admin',
    });
  }

  /** On the first start: makes `admin` with a random password and gives that password, which is not stored. */
  async makeFirstAdmin(): Promise<string | null> {
    if (this.#file.content.users.length > 0) return null;
    const password = randomPassword();
    // Of several processes that share their users, one is the first.
    return (await this.add('admin', 'admin', password)) ? password : null;
  }

  list(): readonly Account[] {
    return this.#file.content.users.map(({ name, role }) => ({ name, role }));
  }

  /** False where somebody has that name. @throws LastAdminError where nobody would be admin. */
  async add(name: string, role: Role, password: string): Promise<boolean> {
    const user = { name, role, password: await hash(password) };
    return this.#file.exclusively(() => {
      if (this.#find(name)) return false;
      this.#write([...this.#file.content.users, user]);
      return true;
    });
  }

  /** False where nobody has that name: who is removed meanwhile does not come back. */
  async setPassword(name: string, password: string): Promise<boolean> {
    const hashed = await hash(password);
    return this.#replace(name, (user) => [{ ...user, password: hashed }]);
  }

  /** False where nobody has that name. @throws LastAdminError */
  setRole(name: string, role: Role): boolean {
    return this.#replace(name, (user) => [{ ...user, role }]);
  }

  /** False where nobody has that name. @throws LastAdminError */
  remove(name: string): boolean {
    return this.#replace(name, () => []);
  }

  /** The account behind a name and a password, or null. Takes as long for a name that nobody has. */
  async check(name: string, password: string): Promise<Account | null> {
    const user = this.#find(name);
    const right = await verify(user?.password ?? (await DECOY), password);
    return user && right ? { name, role: user.role } : null;
  }

  /** The account of a name as it is now: a token outlives neither its user nor the user's role. */
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
          ? `${admins[0].name} is the only admin: make another one first`
          : 'the first user must be an admin',
      );
    this.#file.write({ version: LAYOUT, users });
  }
}

/** Shown once and not stored. */
export const randomPassword = (): string => randomBytes(12).toString('base64url');
