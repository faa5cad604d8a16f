import { createHash, type KeyObject } from 'node:crypto';
import type { JwtHeader } from 'jsonwebtoken';

/** Type of a key: one of our secrets, or a public key in PEM. */
export type Key = KeyObject | string;

interface Verified {
  readonly header: JwtHeader;
  readonly payload: unknown;
  readonly key: Key;
}

/** Number of cached tokens; the oldest entry is evicted first. */
const MAX_TOKENS = 1_000;

/**
 * Tokens with a valid signature, by their hash, because a client sends the same one with each call. The cache
 * only saves the cryptography: expiry, key and account are checked at each call.
 */
export class VerifiedTokens {
  readonly #tokens = new Map<string, Verified>();

  add(token: string, verified: Verified): void {
    this.#tokens.set(hashOf(token), verified);
    if (this.#tokens.size > MAX_TOKENS) this.#tokens.delete(this.#tokens.keys().next().value!);
  }

  /**
   * The content of a token; undefined if it is not cached or no longer valid.
   * @param keyFor the current key for such a token; null if it no longer exists
   * @param moment seconds since 1970, and the tolerance for clocks
   */
  async payloadOf(
    token: string,
    keyFor: (header: JwtHeader, payload: unknown) => Promise<Key | null>,
    moment: Moment,
  ): Promise<unknown> {
    const hash = hashOf(token);
    const found = this.#tokens.get(hash);
    if (!found) return undefined;
    const { header, payload, key } = found;
    const current = await keyFor(header, payload);
    if (isLiving(payload, moment) && current !== null && isSame(current, key)) return payload;
    this.#tokens.delete(hash);
    return undefined;
  }
}

interface Moment {
  readonly now: number;
  readonly tolerance: number;
}

const isLiving = (payload: unknown, { now, tolerance }: Moment): boolean => {
  const { exp, nbf } = payload as { readonly exp?: unknown; readonly nbf?: unknown };
  return (
    typeof exp === 'number' && now < exp + tolerance && (typeof nbf !== 'number' || nbf <= now + tolerance)
  );
};

const isSame = (one: Key, other: Key): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : one.equals(other);

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
