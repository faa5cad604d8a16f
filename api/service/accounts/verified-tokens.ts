import { createHash, type KeyObject } from 'node:crypto';
import type { JwtHeader } from 'jsonwebtoken';

/** What a key is: a secret of ours, or a public key in PEM. */
export type Key = KeyObject | string;

interface Verified {
  readonly header: JwtHeader;
  readonly payload: unknown;
  readonly key: Key;
}

/** Tokens that are cached; the oldest entry is evicted first. */
const MAX_TOKENS = 1_000;

/**
 * Tokens whose signature was found right, by their hash: a client sends the same one with each call. Only the
 * mathematics is spared: their time, their key and whom they stand for are looked at with each call.
 */
export class VerifiedTokens {
  readonly #tokens = new Map<string, Verified>();

  add(token: string, verified: Verified): void {
    this.#tokens.set(hashOf(token), verified);
    if (this.#tokens.size > MAX_TOKENS) this.#tokens.delete(this.#tokens.keys().next().value!);
  }

  /**
   * What a token says; undefined for one that is not cached, or not valid any more.
   * @param keyFor the key of such a token as it is now; null for a key that is gone
   * @param moment seconds since 1970, and by how many clocks may differ
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
