import type { Clock } from '../../pipeline/component/index.js';
import type { Failure, SensedEvent } from '../../pipeline/model/index.js';
import type { Endpoint, Outcome } from './endpoint.js';
import type { HourlyLimit } from './hourly-limit.js';

export interface DeliverySettings {
  readonly giveUpMs: number;
  readonly maxInFlight: number;
}

type Settled = Exclude<Outcome, { kind: 'away' }>;
type Away = Extract<Outcome, { kind: 'away' }>;

/** What is known of an event that was not told of yet. */
interface Delivery {
  /** When it came first, monotonic milliseconds. */
  readonly since: number;
  tries: number;
  /** It was settled in a call that did not come to its end: it comes again, and is not sent again. */
  settled: Settled | null;
}

/** The receiver takes nothing now: all that was not settled is to come again. */
export class AwayError extends Error {
  readonly code: string;
  readonly retriable = true;

  constructor({ code, reason }: Away) {
    super(reason);
    this.name = 'AwayError';
    this.code = code;
  }
}

/** Sends events, remembers how it went with each, and gives up those that have waited for too long. */
export class Deliveries {
  readonly #endpoint: Endpoint;
  readonly #limit: HourlyLimit;
  readonly #clock: Clock;
  readonly #settings: DeliverySettings;
  readonly #known = new Map<string, Delivery>();
  /** Until when the receiver asked not to be called, monotonic milliseconds. */
  #notBefore = -Infinity;
  #away: Away | null = null;
  #delivered = 0;

  constructor(endpoint: Endpoint, limit: HourlyLimit, clock: Clock, settings: DeliverySettings) {
    this.#endpoint = endpoint;
    this.#limit = limit;
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Resolves with those that will never be taken. @throws AwayError where others have to come again */
  async send(events: readonly SensedEvent[]): Promise<readonly Failure[]> {
    const asked = this.#clock.elapsed() < this.#notBefore ? (this.#away ?? ASKED) : null;
    this.#away = await this.#sendAll(this.#open(events), asked);
    for (const event of events) this.#giveUpIfLate(event);
    if (this.#away && events.some(({ id }) => !this.#known.get(id)?.settled)) throw new AwayError(this.#away);
    this.#away = null;
    return this.#failures(events);
  }

  describe(): Readonly<Record<string, unknown>> {
    return { delivered: this.#delivered, waiting: this.#known.size, problem: this.#away?.reason ?? null };
  }

  /** Events that are not settled, those that were tried least first: one that always fails holds up no other. */
  #open(events: readonly SensedEvent[]): readonly SensedEvent[] {
    for (const { id } of events)
      if (!this.#known.has(id))
        this.#known.set(id, { since: this.#clock.elapsed(), tries: 0, settled: null });
    for (const id of this.#known.keys()) {
      if (this.#known.size <= Math.max(MAX_KNOWN, events.length)) break;
      this.#known.delete(id);
    }
    const tries = ({ id }: SensedEvent) => this.#known.get(id)?.tries ?? 0;
    return events
      .filter(({ id }) => !this.#known.get(id)?.settled)
      .sort((one, other) => tries(one) - tries(other));
  }

  /** Until all are settled, the receiver turns out to be away, or this has taken long enough. */
  async #sendAll(events: readonly SensedEvent[], asked: Away | null): Promise<Away | null> {
    let away = asked;
    const deadline = this.#clock.elapsed() + LONGEST_MS;
    const left = events[Symbol.iterator]();
    const worker = async (): Promise<void> => {
      for (const event of left) {
        if (away) return;
        if (this.#clock.elapsed() > deadline) away = SLOW;
        else away = (await this.#sendOne(event)) ?? away;
      }
    };
    await Promise.all(Array.from({ length: this.#settings.maxInFlight }, worker));
    return away;
  }

  async #sendOne(event: SensedEvent): Promise<Away | null> {
    const delivery = this.#known.get(event.id)!;
    if (delivery.tries === 0 && !this.#limit.take(this.#clock.elapsed())) {
      delivery.settled = OVER_LIMIT;
      return null;
    }
    delivery.tries++;
    const outcome = await this.#endpoint.send(event);
    if (outcome.kind !== 'away') {
      delivery.settled = outcome;
      if (outcome.kind === 'delivered') this.#delivered++;
      return null;
    }
    this.#notBefore = Math.max(this.#notBefore, this.#clock.elapsed() + outcome.retryAfterMs);
    return outcome;
  }

  #giveUpIfLate({ id }: SensedEvent): void {
    const delivery = this.#known.get(id);
    if (!this.#away || !delivery || delivery.settled) return;
    if (this.#clock.elapsed() - delivery.since < this.#settings.giveUpMs) return;
    const reason = `tried ${delivery.tries} times and given up; the last time: ${this.#away.reason}`;
    delivery.settled = { kind: 'refused', code: 'webhook.gave_up', reason };
  }

  #failures(events: readonly SensedEvent[]): readonly Failure[] {
    const failures: Failure[] = [];
    for (const record of events) {
      const settled = this.#known.get(record.id)?.settled;
      if (settled?.kind === 'refused')
        failures.push({ record, code: settled.code, reason: settled.reason, retriable: false });
    }
    for (const { id } of events) this.#known.delete(id);
    return failures;
  }
}

const OVER_LIMIT: Settled = {
  kind: 'refused',
  code: 'webhook.rate_limit',
  reason:
    'the receiver has had all the events that it gets in an hour (`max_events_per_hour`): replay it from the dead letters later',
};

const SLOW: Away = {
  kind: 'away',
  code: 'webhook.slow',
  reason: 'the receiver is too slow for all the events that wait: the rest follows',
  retryAfterMs: 0,
};

const ASKED: Away = {
  kind: 'away',
  code: 'webhook.later',
  reason: 'the receiver asked to be called later',
  retryAfterMs: 0,
};

/** A call ends after this, so that nobody takes it for stuck. */
const LONGEST_MS = 15_000;
/** Events whose story is kept while they wait. */
const MAX_KNOWN = 20_000;
