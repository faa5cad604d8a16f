import { randomBytes, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Account } from './roles.js';
import { Sessions } from './sessions.js';
import { SigningKeys } from './signing-keys.js';

/** Lifetime of an access token. */
export const ACCESS_SECONDS = 3_600;
/** Lifetime of a refresh token. */
const REFRESH_SECONDS = 30 * 24 * 3_600;

export interface TokenPair {
  readonly access: string;
  readonly refresh: string;
}

/**
 * Signs and checks JSON Web Tokens. Each refresh token works once; a second use may be by a thief, so it
 * revokes the whole session, including access tokens (RFC 9700, section 4.14.2).
 */
export class Tokens {
  readonly #keys: SigningKeys;
  readonly #sessions: Sessions;

  /** @param folder of the accounts */
  constructor(folder: string) {
    this.#keys = new SigningKeys(folder);
    this.#sessions = new Sessions(folder);
  }

  /** For a login. */
  issue(account: Account): TokenPair {
    const session = randomBytes(9).toString('base64url');
    return this.#pair(account, session);
  }

  /** Exchanges a refresh token; `accountOf` returns the current account of a name. Null for an invalid token. */
  refresh(token: string, accountOf: (name: string) => Account | null): TokenPair | null {
    const payload = this.#verify(token, 'refresh');
    if (!payload) return null;
    const { sid, jti, sub } = payload;
    const account = accountOf(sub);
    // Two processes that receive the same token concurrently must not both accept it.
    return this.#sessions.exclusively(() => {
      if (account && this.#sessions.isNewest(sid, jti)) return this.#pair(account, sid);
      this.#sessions.end(sid);
      return null;
    });
  }

  /** Ends the session of a refresh token. Ignores an invalid token. */
  revoke(token: string): void {
    const payload = this.#verify(token, 'refresh');
    if (payload) this.#sessions.end(payload.sid);
  }

  /** The user of an access token with a valid signature; null for another token, or if its session has ended. */
  userOf(payload: unknown): string | null {
    if (!isPayload(payload) || payload.use !== 'access') return null;
    return this.#sessions.isOpen(payload.sid, payload.sub) ? payload.sub : null;
  }

  /** Ends all sessions of a user. */
  revokeUser(name: string): void {
    this.#sessions.endOf(name);
  }

  /** The key to check a token that names it; null for an unknown key. */
  keyOf(id: string | undefined): KeyObject | null {
    return this.#keys.find(id);
  }

  /** Signs with a new key from now on. Returns its id. */
  rotateKey(): string {
    return this.#keys.rotate(Date.now(), REFRESH_SECONDS);
  }

  #pair(account: Account, session: string): TokenPair {
    const refreshId = randomBytes(9).toString('base64url');
    this.#sessions.add(session, account.name, refreshId, Date.now() + REFRESH_SECONDS * 1000);
    return {
      access: this.#sign(account, 'access', session, randomBytes(9).toString('base64url'), ACCESS_SECONDS),
      refresh: this.#sign(account, 'refresh', session, refreshId, REFRESH_SECONDS),
    };
  }

  #sign(account: Account, use: Use, sid: string, jwtid: string, expiresIn: number): string {
    const { id, key } = this.#keys.newest;
    const options = { algorithm: 'HS256', subject: account.name, expiresIn, jwtid, keyid: id } as const;
    return jwt.sign({ use, role: account.role, sid }, key, options);
  }

  #verify(token: string, use: Use): Payload | null {
    const key = this.keyOf(decodeToken(token)?.header.kid);
    if (!key) return null;
    try {
      const payload: unknown = jwt.verify(token, key, { algorithms: ['HS256'] });
      return isPayload(payload) && payload.use === use ? payload : null;
    } catch (error) {
      if (error instanceof jwt.JsonWebTokenError) return null; // also its subclasses: expired, not yet valid
      throw error;
    }
  }
}

type Use = 'access' | 'refresh';

interface Payload {
  readonly use: Use;
  readonly sub: string;
  /** Id of its session. */
  readonly sid: string;
  readonly jti: string;
  readonly exp: number;
}

const isPayload = (payload: unknown): payload is Payload =>
  typeof payload === 'object' &&
  payload !== null &&
  ['use', 'sub', 'sid', 'jti'].every((field) => typeof payload[field as keyof typeof payload] === 'string') &&
  'exp' in payload &&
  typeof payload.exp === 'number';

/** The unchecked content of a token; null if it is not a token. */
export function decodeToken(token: string): jwt.Jwt | null {
  try {
    return jwt.decode(token, { complete: true });
  } catch (error) {
    if (error instanceof SyntaxError) return null; // its payload claims to be JSON, but is not
    throw error;
  }
}
