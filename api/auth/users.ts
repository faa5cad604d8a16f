import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash, verify } from '@node-rs/argon2';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { ROLES, type Account, type Role } from './roles.js';
import { checkLayout, stateError } from '../../pipeline/state/index.js';
import { makeFolder } from '../../pipeline/telemetry/folders.js';

/** Counts up with each change of the file that an earlier csiflow could not read. */
const LAYOUT = 1;

const UsersFileSchema = Type.Object({
  version: Type.Integer(),
  users: Type.Array(
    Type.Object({ name: Type.String(), role: Type.Enum([...ROLES]), password: Type.String() }),
  ),
});
type StoredUser = Static<typeof UsersFileSchema>['users'][number];

/** Of no user: verified against when a name is unknown, so that the answer takes as long as for a known one. */
const DECOY = hash(randomBytes(16).toString('hex'));

/** The people of a deployment, in one file of the state folder; passwords as Argon2id. */
export class Users {
  readonly #file: string;
  #users: readonly StoredUser[];

  /** @throws Error naming the file where it cannot be read. */
  constructor(stateFolder: string) {
    makeFolder(stateFolder);
    this.#file = join(stateFolder, 'users.json');
    this.#users = existsSync(this.#file) ? read(this.#file) : [];
  }

  /** On the first start: makes `admin` with a random password and gives that password, which is kept nowhere. */
  async makeFirstAdmin(): Promise<string | null> {
    if (this.#users.length > 0) return null;
    const password = randomBytes(12).toString('base64url');
    await this.set('admin', 'admin', password);
    return password;
  }

  async set(name: string, role: Role, password: string): Promise<void> {
    const user = { name, role, password: await hash(password) };
    this.#users = [...this.#users.filter((other) => other.name !== name), user];
    const part = `${this.#file}.part`;
    writeFileSync(part, JSON.stringify({ version: LAYOUT, users: this.#users }, null, 2), { mode: 0o600 });
    renameSync(part, this.#file);
  }

  /** The account behind a name and a password, or null. Takes as long for a name that nobody has. */
  async check(name: string, password: string): Promise<Account | null> {
    const user = this.#users.find((candidate) => candidate.name === name);
    const right = await verify(user?.password ?? (await DECOY), password);
    return user && right ? { name, role: user.role } : null;
  }

  /** The account of a name as it is now: a token outlives neither its user nor the user's role. */
  account(name: string): Account | null {
    const user = this.#users.find((candidate) => candidate.name === name);
    return user ? { name, role: user.role } : null;
  }
}

/** @throws Error `state.newer`, `state.older`, or `state.corrupt` for what is no list of users. */
function read(file: string): readonly StoredUser[] {
  const content = parse(readFileSync(file, 'utf8'));
  if (typeof content === 'object' && content !== null && 'version' in content)
    checkLayout(file, content.version, LAYOUT);
  if (Value.Check(UsersFileSchema, content)) return content.users;
  throw stateError(
    'state.corrupt',
    `${file} is damaged: restore it from a backup, or move it away, and the next start makes a new admin`,
  );
}

/** Undefined for text that is not JSON. The parser's own words would repeat some of the file. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
