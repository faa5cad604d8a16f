import jwt from 'jsonwebtoken';
import { KEY_PREFIX, type ApiKeys } from './api-keys.js';
import type { IdentityProvider } from './identity-provider.js';
import type { Account } from './roles.js';
import { decodeToken, type Tokens } from './tokens.js';
import type { Users } from './users.js';
import { VerifiedTokens, type Key } from './verified-tokens.js';

/** Tolerance for the clocks of others. Tokens of our own are checked with our clock. */
export const CLOCK_TOLERANCE_S = 30;

/** The account of a valid credential. */
export interface Caller {
  readonly account: Account;
  /** Milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
  /** Checks again, because users can be removed and keys revoked; null if the credential is no longer valid. */
  readonly again: () => Caller | null;
}

export interface Credentials {
  readonly users: Users;
  readonly tokens: Tokens;
  readonly apiKeys: ApiKeys;
  readonly identityProvider: IdentityProvider | null;
}

/** The credential of a call; null if it had none. */
export interface Presented {
  readonly token: string | null;
  readonly key: string | null;
}

/** An API key can be sent as a bearer token, because Prometheus and others can send nothing else. */
export const presented = (token: string | null, key: string | null): Presented =>
  key === null && token?.startsWith(KEY_PREFIX) ? { token: null, key: token } : { token, key };

const EVER = { ignoreExpiration: true, ignoreNotBefore: true } as const;

/** Identifies the account of a bearer token or an API key. */
export class Authenticator {
  readonly #credentials: Credentials;
  readonly #verifiedTokens = new VerifiedTokens();

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /**
   * The key to check a token with: a secret of ours under HS256, a public key of the identity provider else.
   * Rejects for an unknown one.
   */
  async keyFor(header: jwt.JwtHeader, payload: unknown): Promise<Key> {
    const { tokens, identityProvider } = this.#credentials;
    if (identityProvider?.claims(payload)) return identityProvider.keyFor(header);
    const key = header.alg === 'HS256' ? tokens.keyOf(header.kid) : null;
    if (!key) throw new jwt.JsonWebTokenError('no key of this service has signed it');
    return key;
  }

  /** The current account of a token with a valid signature; null if it has no rights. */
  callerOf(payload: unknown): Caller | null {
    const account = this.#accountOf(payload);
    return account && { account, expiresAt: expiryOf(payload), again: () => this.callerOf(payload) };
  }

  /** Null for an invalid token. */
  async bearer(token: string): Promise<Caller | null> {
    return this.callerOf(await this.#verified(token));
  }

  /** The content of a token whose signature was checked before, and which is still valid; undefined for others. */
  recall(token: string): Promise<unknown> {
    const keyFor = (header: jwt.JwtHeader, payload: unknown) =>
      this.keyFor(header, payload).catch(() => null);
    return this.#verifiedTokens.payloadOf(token, keyFor, {
      now: Date.now() / 1000,
      tolerance: CLOCK_TOLERANCE_S,
    });
  }

  /** Caches a token with a valid signature. */
  async remember(token: string, payload: unknown): Promise<void> {
    const header = decodeToken(token)?.header;
    if (header) this.#verifiedTokens.add(token, { header, payload, key: await this.keyFor(header, payload) });
  }

  /** Null for an unknown or expired key. */
  apiKey(key: string): Caller | null {
    const found = this.#credentials.apiKeys.check(key, Date.now());
    return found && { ...found, again: () => this.apiKey(key) };
  }

  /**
   * Whether an invalid credential was invented, so that somebody may be guessing. Expired credentials, and
   * those of an ended session, are not.
   */
  async isGuess({ token, key }: Presented): Promise<boolean> {
    if (key !== null && !this.#credentials.apiKeys.has(key)) return true;
    return token !== null && (await this.#verified(token, EVER)) === null;
  }

  #accountOf(payload: unknown): Account | null {
    const { users, tokens, identityProvider } = this.#credentials;
    if (identityProvider?.claims(payload)) return identityProvider.accountOf(payload);
    if ((expiryOf(payload) ?? 0) <= Date.now()) return null;
    const name = tokens.userOf(payload);
    return name === null ? null : users.account(name);
  }

  /** The content of a token; null if its signature is invalid or, unless `options` permit it, it has expired. */
  async #verified(token: string, options: jwt.VerifyOptions = {}): Promise<unknown> {
    const decoded = decodeToken(token);
    if (!decoded) return null;
    const key = await this.keyFor(decoded.header, decoded.payload).catch(() => null);
    if (key === null) return null;
    try {
      return jwt.verify(token, key, {
        algorithms: [decoded.header.alg as jwt.Algorithm],
        clockTolerance: CLOCK_TOLERANCE_S,
        ...options,
      });
    } catch (error) {
      if (error instanceof jwt.JsonWebTokenError) return null;
      throw error;
    }
  }
}

const expiryOf = (payload: unknown): number | null =>
  typeof payload === 'object' && payload !== null && 'exp' in payload && typeof payload.exp === 'number'
    ? payload.exp * 1000
    : null;
