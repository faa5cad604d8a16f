import type { Clock } from '../../../../pipeline/component/index.js';

/** Limits of sessions per account, and of all sessions. */
const [MAX_PER_ACCOUNT, MAX_SESSIONS] = [4, 32];
/** A session ends when unused for this time, and at this age. Milliseconds. */
const [IDLE_MS, MAX_AGE_MS] = [60_000, 3_600_000];

interface Held<S> {
  readonly account: string;
  readonly session: S;
  readonly born: number;
  used: number;
}

/** State that calls of an account resume from, by session name. The least recently used one is evicted. */
export class Sessions<S> {
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #held = new Map<string, Held<S>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The account's session with that name, otherwise a new one. */
  of(account: string, name: string, make: () => S): { readonly session: S; readonly continued: boolean } {
    this.#end();
    const key = JSON.stringify([account, name]);
    const known = this.#held.get(key);
    const now = this.#clock.elapsed();
    const held = known ?? { account, session: make(), born: now, used: now };
    held.used = now;
    this.#held.delete(key);
    this.#held.set(key, held);
    const own = [...this.#held].filter(([, other]) => other.account === account);
    if (own.length > MAX_PER_ACCOUNT) this.#held.delete(own[0]![0]);
    for (const oldest of this.#held.keys()) if (this.#held.size > MAX_SESSIONS) this.#held.delete(oldest);
    return { session: held.session, continued: known !== undefined };
  }

  /** Ends a session with an outdated state. */
  forget(session: S): void {
    for (const [key, held] of this.#held) if (held.session === session) this.#held.delete(key);
  }

  #end(): void {
    const now = this.#clock.elapsed();
    for (const [key, { born, used }] of this.#held)
      if (now - used > IDLE_MS || now - born > MAX_AGE_MS) this.#held.delete(key);
  }
}
