import type jwksRsa from 'jwks-rsa';
import type { Logger } from '../../../pipeline/component/index.js';
import { errorText } from '../../../pipeline/base/error-text.js';

/** Keys are fetched again after this time. */
const FRESH_MS = 600_000;
/** Nothing waits for that: until the provider has answered, its published keys stay valid for this time. */
const GOOD_MS = 3_600_000;
/** At most one fetch in this time, regardless of the tokens of strangers. */
const PAUSE_MS = 10_000;

export interface KeySetOptions {
  /** Fetches all keys of the provider. */
  readonly fetch: () => Promise<readonly jwksRsa.SigningKey[]>;
  readonly log: Pick<Logger, 'warn'>;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * The public keys of an identity provider. It may be offline for an hour, and receives few requests, even
 * under attack.
 */
export class KeySet {
  readonly #options: KeySetOptions;
  readonly #elapsed: () => number;
  #keys: readonly jwksRsa.SigningKey[] = [];
  #fetchedAt = -Infinity;
  #asked: Promise<void> = Promise.resolve();
  #askedAt = -Infinity;

  constructor(options: KeySetOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? (() => performance.now());
  }

  /** The key with that id, in PEM; without an id, the only one. Rejects if the provider does not publish it. */
  async get(id: string | undefined): Promise<string> {
    let key = this.#find(id);
    if (!key) {
      await this.#ask();
      key = this.#find(id);
    } else if (this.#age > FRESH_MS) void this.#ask();
    if (!key) throw new Error('the identity provider publishes no such key');
    return key.getPublicKey();
  }

  get #age(): number {
    return this.#elapsed() - this.#fetchedAt;
  }

  #find(id: string | undefined): jwksRsa.SigningKey | undefined {
    if (this.#age > GOOD_MS) return undefined;
    if (id === undefined) return this.#keys.length === 1 ? this.#keys[0] : undefined;
    return this.#keys.find(({ kid }) => kid === id);
  }

  /** Concurrent calls share one request. Never rejects. */
  #ask(): Promise<void> {
    const now = this.#elapsed();
    if (now - this.#askedAt >= PAUSE_MS) {
      this.#askedAt = now;
      this.#asked = this.#fetch();
    }
    return this.#asked;
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = await this.#options.fetch();
      this.#fetchedAt = this.#elapsed();
    } catch (error) {
      const reason = errorText(error);
      this.#options.log.warn('the keys of the identity provider cannot be read', { reason });
    }
  }
}
