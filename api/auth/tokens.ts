import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import type { Account } from './roles.js';
import { makeFolder } from '../../pipeline/telemetry/folders.js';

/** Life of an access token. */
export const ACCESS_SECONDS = 3_600;
const REFRESH_SECONDS = 30 * 24 * 3_600;

export interface TokenPair {
  readonly access: string;
  readonly refresh: string;
}

/** Signs and checks JSON Web Tokens with a key that is kept in the state folder. */
export class Tokens {
  readonly #key: Buffer;

  constructor(stateFolder: string) {
    makeFolder(stateFolder);
    const file = join(stateFolder, 'token.key');
    if (!existsSync(file)) writeFileSync(file, randomBytes(48).toString('base64'), { mode: 0o600 });
    this.#key = Buffer.from(readFileSync(file, 'utf8'), 'base64');
    if (this.#key.length < 32)
      throw new Error(`${file} is too short for a signing key; remove it to have a new one made`);
  }

  /** The key as koa-jwt asks for it. */
  get secret(): Buffer {
    return this.#key;
  }

  issue(account: Account): TokenPair {
    const sign = (use: 'access' | 'refresh', seconds: number) =>
      jwt.sign({ use, role: account.role }, this.#key, {
        algorithm: 'HS256',
        subject: account.name,
        expiresIn: seconds,
        jwtid: randomBytes(9).toString('base64url'),
      });
    return { access: sign('access', ACCESS_SECONDS), refresh: sign('refresh', REFRESH_SECONDS) };
  }

  /** Who an access token was given to, and until when (milliseconds since 1970); null for a token that is not valid. */
  check(token: string): { readonly name: string; readonly expiresAt: number } | null {
    try {
      const payload = jwt.verify(token, this.#key, { algorithms: ['HS256'] });
      return typeof payload === 'object' && isAccess(payload) && payload.sub && payload.exp
        ? { name: payload.sub, expiresAt: payload.exp * 1000 }
        : null;
    } catch (error) {
      if (error instanceof jwt.JsonWebTokenError) return null; // also its subclasses: expired, not yet valid
      throw error;
    }
  }
}

/** A refresh token opens nothing but `/auth/refresh`. */
export const isAccess = (payload: object): boolean => 'use' in payload && payload.use === 'access';
