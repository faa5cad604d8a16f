import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../errors.js';
import type { KnownAddresses } from './known-addresses.js';
import { SLOW_MS, SlowedNames } from './slowed-names.js';
import type { Form } from '../form.js';

/** Calls are counted in these categories: docs/access.md. */
export type LimitCategory =
  'authentication' | 'pose_data' | 'pose_processing' | 'configuration' | 'analytics' | 'health';

export interface Limit {
  readonly requests: number;
  readonly seconds: number;
}

export type LimitFigures = Readonly<
  Record<
    LimitCategory | 'form_a' | 'wrong_credentials' | 'wrong_passwords' | 'wrong_passwords_anywhere',
    Limit
  >
>;

/**
 * Default limits of the categories. Form A has one limit for all of REST except health checks, and shares the
 * counter of authentication.
 */
export const DEFAULT_LIMITS: LimitFigures = {
  form_a: { requests: 1_000, seconds: 3_600 },
  authentication: { requests: 10, seconds: 60 },
  pose_data: { requests: 1_000, seconds: 3_600 },
  pose_processing: { requests: 100, seconds: 3_600 },
  configuration: { requests: 50, seconds: 3_600 },
  analytics: { requests: 500, seconds: 3_600 },
  health: { requests: 10_000, seconds: 3_600 },
  // Invalid tokens and keys from one address. Per minute, because others may share the address.
  wrong_credentials: { requests: 300, seconds: 60 },
  // For one name from one address: that address may then not log in with that name for the rest of the
  // window.
  wrong_passwords: { requests: 30, seconds: 900 },
  // For one name from anywhere: attempts from new addresses are then slowed down, and most are rejected.
  wrong_passwords_anywhere: { requests: 100, seconds: 900 },
};

/** Counts calls per caller, form and category. Memory is bounded: counters expire with their window. */
export class Limits {
  readonly #limits: LimitFigures;
  readonly #known: KnownAddresses;
  readonly #counters: ReadonlyMap<string, RateLimiterMemory>;
  readonly #slowed: SlowedNames;

  /** @param slowMs delay of a password attempt for a name under attack */
  constructor(known: KnownAddresses, limits: LimitFigures = DEFAULT_LIMITS, slowMs = SLOW_MS) {
    this.#known = known;
    this.#limits = limits;
    this.#slowed = new SlowedNames(slowMs);
    this.#counters = new Map(
      Object.entries(limits).map(([name, { requests, seconds }]) => [
        name,
        new RateLimiterMemory({ keyPrefix: name, points: requests, duration: seconds }),
      ]),
    );
  }

  /**
   * Counts one call of `caller`. Returns the `X-RateLimit-*` headers. @throws ApiError 429 with them if none
   * is left.
   */
  take(form: Form, category: LimitCategory, caller: string): Promise<Record<string, string>> {
    return this.#consume(counterOf(form, category), keyOf(form, category, caller));
  }

  /** The headers of `take`, without counting a call. */
  async show(form: Form, category: LimitCategory, caller: string): Promise<Record<string, string>> {
    const name = counterOf(form, category);
    const limit = this.#limits[name];
    const left = await this.#counters.get(name)!.get(keyOf(form, category, caller));
    return headers(limit, left ?? { remainingPoints: limit.requests, msBeforeNext: limit.seconds * 1000 });
  }

  /**
   * Counts one attempt with a credential that this service never issued. Separate from all other calls, so
   * that others at the address get 401, not 429, for a credential that has merely expired.
   * @param address in the form of {@link addressKey}
   * @throws ApiError 429
   */
  takeWrongCredential(address: string): Promise<Record<string, string>> {
    return this.#consume('wrong_credentials', address);
  }

  async #consume(name: keyof LimitFigures, key: string): Promise<Record<string, string>> {
    const limit = this.#limits[name];
    try {
      return headers(limit, await this.#counters.get(name)!.consume(key));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw exceeded(limit, refused);
    }
  }

  /**
   * Counts one password attempt for a name before checking it: otherwise many concurrent ones would all pass.
   * Unknown names are treated the same, so that the answer does not reveal them. Strangers neither lock nor
   * slow logins from this machine, or from addresses with an earlier login of that name. At a new address
   * they can lock out an account for as long as they try its name from many addresses.
   * @param address in the form of {@link addressKey}
   * @throws ApiError 429
   */
  async takePassword(name: string, address: string): Promise<void> {
    await this.#consume('wrong_passwords', tryOf(name, address));
    if (this.#known.has(name, address)) return;
    try {
      await this.#counters.get('wrong_passwords_anywhere')!.consume(name);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      if (!(await this.#slowed.wait(name)))
        throw exceeded(this.#limits.wrong_passwords_anywhere, {
          remainingPoints: 0,
          msBeforeNext: this.#slowed.ms,
        });
    }
  }

  /** Removes an attempt from the count: the password was right. */
  async returnPassword(name: string, address: string): Promise<void> {
    await this.#counters.get('wrong_passwords')!.reward(tryOf(name, address));
    if (!this.#known.has(name, address)) await this.#counters.get('wrong_passwords_anywhere')!.reward(name);
    this.#known.add(name, address);
  }
}

const counterOf = (form: Form, category: LimitCategory): keyof LimitFigures =>
  form === 'a' && category !== 'authentication' && category !== 'health' ? 'form_a' : category;

/** Each form is counted separately, except for logins. */
const keyOf = (form: Form, category: LimitCategory, caller: string): string =>
  category === 'authentication' ? caller : `${form} ${caller}`;

const tryOf = (name: string, address: string): string => `${address} ${name}`;

type Left = Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'>;

function headers(limit: Limit, { remainingPoints, msBeforeNext }: Left): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit.requests),
    'X-RateLimit-Remaining': String(Math.max(0, remainingPoints)),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + msBeforeNext) / 1000)),
    'X-RateLimit-Window': String(limit.seconds),
  };
}

function exceeded(limit: Limit, result: Left): ApiError {
  const seconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  return new ApiError('RATE_LIMIT_EXCEEDED', `Too many requests: wait ${seconds} seconds`, {
    headers: { ...headers(limit, result), 'Retry-After': String(seconds) },
    details: {
      limit: {
        limit: limit.requests,
        windowSeconds: limit.seconds,
        resetAt: new Date(Date.now() + result.msBeforeNext).toISOString(),
      },
    },
  });
}
