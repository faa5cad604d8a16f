import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../contract/errors.js';
import type { Form } from '../contract/form.js';

/** Categories of section 8.3: calls are counted by them. */
export type LimitCategory =
  'authentication' | 'pose_data' | 'pose_processing' | 'configuration' | 'analytics' | 'health';

export interface Limit {
  readonly requests: number;
  readonly seconds: number;
}

/** Section 8.3. Form A (8.2) has one limit for all of REST, but shares the counter of authentication. */
export const DEFAULT_LIMITS: Readonly<Record<LimitCategory | 'form_a' | 'wrong_passwords', Limit>> = {
  form_a: { requests: 1_000, seconds: 3_600 },
  authentication: { requests: 10, seconds: 60 },
  pose_data: { requests: 1_000, seconds: 3_600 },
  pose_processing: { requests: 100, seconds: 3_600 },
  configuration: { requests: 50, seconds: 3_600 },
  analytics: { requests: 500, seconds: 3_600 },
  health: { requests: 10_000, seconds: 3_600 },
  // For one name, from anywhere: then it is locked for the rest of the time.
  wrong_passwords: { requests: 30, seconds: 900 },
};

/** Counts calls per caller, form and category. Memory is bounded: counters go with their window. */
export class Limits {
  readonly #limits: typeof DEFAULT_LIMITS;
  readonly #counters: ReadonlyMap<string, RateLimiterMemory>;

  constructor(limits: typeof DEFAULT_LIMITS = DEFAULT_LIMITS) {
    this.#limits = limits;
    this.#counters = new Map(
      Object.entries(limits).map(([name, { requests, seconds }]) => [
        name,
        new RateLimiterMemory({ keyPrefix: name, points: requests, duration: seconds }),
      ]),
    );
  }

  /** Takes one call of `caller`. Gives the headers of section 8.1. @throws ApiError 429 with them where none is left. */
  async take(form: Form, category: LimitCategory, caller: string): Promise<Record<string, string>> {
    const name = form === 'a' && category !== 'authentication' && category !== 'health' ? 'form_a' : category;
    const limit = this.#limits[name];
    try {
      return headers(limit, await this.#counters.get(name)!.consume(caller));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw exceeded(limit, refused);
    }
  }

  /**
   * Takes one try of a password for a name, before it is looked at: many at the same time would else all pass.
   * For names that nobody has as for others, so that the answer does not tell them apart. @throws ApiError 429
   */
  async takePassword(name: string): Promise<void> {
    try {
      await this.#counters.get('wrong_passwords')!.consume(name);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw exceeded(this.#limits.wrong_passwords, refused);
    }
  }

  /** Gives a try back: the password was right. */
  async returnPassword(name: string): Promise<void> {
    await this.#counters.get('wrong_passwords')!.reward(name);
  }
}

function headers(limit: Limit, { remainingPoints, msBeforeNext }: RateLimiterRes): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit.requests),
    'X-RateLimit-Remaining': String(Math.max(0, remainingPoints)),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + msBeforeNext) / 1000)),
    'X-RateLimit-Window': String(limit.seconds),
  };
}

function exceeded(limit: Limit, result: RateLimiterRes): ApiError {
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
