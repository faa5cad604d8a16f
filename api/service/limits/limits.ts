import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../errors.js';
import type { KnownAddresses } from './known-addresses.js';
import { SLOW_MS, SlowedNames } from './slowed-names.js';
import type { Form } from '../form.js';

/** Calls are counted by these categories: docs/access.md. */
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

/** Default limits of the categories. Form A has one limit for all of REST but health checks, and shares the counter of authentication. */
export const DEFAULT_LIMITS: LimitFigures = {
  form_a: { requests: 1_000, seconds: 3_600 },
  authentication: { requests: 10, seconds: 60 },
  pose_data: { requests: 1_000, seconds: 3_600 },
  pose_processing: { requests: 100, seconds: 3_600 },
  configuration: { requests: 50, seconds: 3_600 },
  analytics: { requests: 500, seconds: 3_600 },
  health: { requests: 10_000, seconds: 3_600 },
  // Tokens and keys that this service never gave, from one address. A minute, as others may come from there too.
  wrong_credentials: { requests: 300, seconds: 60 },
  // For one name from one address: then that address may not log in as that name for the rest of the time.
  wrong_passwords: { requests: 30, seconds: 900 },
  // For one name from anywhere: then tries from addresses that it has not logged in from are slowed down, and most are refused.
  wrong_passwords_anywhere: { requests: 100, seconds: 900 },
};

/** Counts calls per caller, form and category. Memory is bounded: counters go with their window. */
export class Limits {
  readonly #limits: LimitFigures;
  readonly #known: KnownAddresses;
  readonly #counters: ReadonlyMap<string, RateLimiterMemory>;
  readonly #slowed: SlowedNames;

  /** @param slowMs what a try of a password waits where its name is under attack */
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

  /** Takes one call of `caller`. Returns the `X-RateLimit-*` headers. @throws ApiError 429 with them where none is left. */
  take(form: Form, category: LimitCategory, caller: string): Promise<Record<string, string>> {
    return this.#consume(counterOf(form, category), keyOf(form, category, caller));
  }

  /** The headers that `take` would give, without taking a call. */
  async show(form: Form, category: LimitCategory, caller: string): Promise<Record<string, string>> {
    const name = counterOf(form, category);
    const limit = this.#limits[name];
    const left = await this.#counters.get(name)!.get(keyOf(form, category, caller));
    return headers(limit, left ?? { remainingPoints: limit.requests, msBeforeNext: limit.seconds * 1000 });
  }

  /**
   * Takes one try of a credential that this service never gave. Apart from all other calls, so that whoever shares the
   * address is told 401, and not 429, for a credential that has merely expired.
   * @param address as {@link addressKey} gives it
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
   * Takes one try of a password for a name, before it is looked at: many at the same time would else all pass.
   * For names that nobody has as for others, so that the answer does not tell them apart. From where somebody has
   * logged in by a name, and from this machine, strangers at other addresses neither lock nor slow it. From an
   * address that is not known they can lock its owner out for as long as they try it from many addresses.
   * @param address as {@link addressKey} gives it
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

  /** Gives a try back: the password was right. */
  async returnPassword(name: string, address: string): Promise<void> {
    await this.#counters.get('wrong_passwords')!.reward(tryOf(name, address));
    if (!this.#known.has(name, address)) await this.#counters.get('wrong_passwords_anywhere')!.reward(name);
    this.#known.add(name, address);
  }
}

const counterOf = (form: Form, category: LimitCategory): keyof LimitFigures =>
  form === 'a' && category !== 'authentication' && category !== 'health' ? 'form_a' : category;

/** Each form counts on its own, but for logins. */
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
