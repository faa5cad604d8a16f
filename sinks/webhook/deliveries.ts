import type { Clock } from '../../pipeline/component/index.js';
import { SEVERITIES, type Failure, type SensedEvent } from '../../pipeline/model/index.js';
import type { Endpoint, Outcome } from './endpoint.js';
import type { HourlyLimit } from './hourly-limit.js';
import { Turns } from './turns.js';

export interface DeliverySettings {
  readonly giveUpMs: number;
  readonly maxInFlight: number;
}

type Away = Extract<Outcome, { kind: 'away' }>;

/** State of an undelivered event. */
interface Delivery {
  /** Time of the first attempt, monotonic milliseconds. */
  readonly since: number;
  tries: number;
}

/** Events that were passed together. */
interface Call {
  readonly deadline: number;
  /** Set once a call has shown that the receiver accepts nothing at the moment. */
  away: Away | null;
}

/** The receiver accepts nothing at the moment: everything must be retried. */
export class AwayError extends Error {
  readonly code: string;
  readonly retriable = true;

  constructor({ code, reason }: Away) {
    super(reason);
    this.name = 'AwayError';
    this.code = code;
  }
}

/** Sends each event separately, the most urgent first, and gives up events that have waited too long. */
export class Deliveries {
  readonly #endpoint: Endpoint;
  readonly #limit: HourlyLimit;
  readonly #clock: Clock;
  readonly #settings: DeliverySettings;
  readonly #known = new Map<string, Delivery>();
  readonly #turns: Turns;
  /** Time until which the receiver asked for no calls, monotonic milliseconds. */
  #notBefore = -Infinity;
  #away: Away | null = null;
  #delivered = 0;

  constructor(endpoint: Endpoint, limit: HourlyLimit, clock: Clock, settings: DeliverySettings) {
    this.#endpoint = endpoint;
    this.#limit = limit;
    this.#clock = clock;
    this.#settings = settings;
    this.#turns = new Turns(settings.maxInFlight);
  }

  /**
   * May be called again before it has ended. Resolves with the rejected events: `retriable` if they must be
   * retried, each by itself. @throws AwayError if the receiver accepted none and all must be retried
   */
  async send(events: readonly SensedEvent[]): Promise<readonly Failure[]> {
    const asked = this.#clock.elapsed() < this.#notBefore ? (this.#away ?? ASKED) : null;
    const call: Call = { deadline: this.#clock.elapsed() + MAX_CALL_MS, away: asked };
    this.#remember(events);
    const outcomes = await Promise.all(
      events.map((event) => this.#turns.take(this.#rank(event), () => this.#sendOne(event, call))),
    );
    this.#away = call.away;
    const failures = events.flatMap((event, index) => this.#failureOf(event, outcomes[index]!) ?? []);
    const comeAgain = failures.length === events.length && failures.every(({ retriable }) => retriable);
    if (call.away && comeAgain) throw new AwayError(call.away);
    return failures;
  }

  describe(): Readonly<Record<string, unknown>> {
    return { delivered: this.#delivered, waiting: this.#known.size, problem: this.#away?.reason ?? null };
  }

  #remember(events: readonly SensedEvent[]): void {
    for (const { id } of events)
      if (!this.#known.has(id)) this.#known.set(id, { since: this.#clock.elapsed(), tries: 0 });
    for (const id of this.#known.keys()) {
      if (this.#known.size <= Math.max(MAX_KNOWN, events.length)) break;
      this.#known.delete(id);
    }
  }

  /** Events that failed least often are sent first, and the most severe of these before the others. */
  #rank({ id, severity }: SensedEvent): number {
    const tries = this.#known.get(id)?.tries ?? 0;
    return (tries + 1) * SEVERITIES.length - SEVERITIES.indexOf(severity);
  }

  async #sendOne(event: SensedEvent, call: Call): Promise<Outcome> {
    if (call.away) return call.away;
    if (this.#clock.elapsed() > call.deadline) return SLOW;
    const delivery = this.#known.get(event.id);
    if ((delivery?.tries ?? 0) === 0 && !this.#limit.take(this.#clock.elapsed())) return OVER_LIMIT;
    if (delivery) delivery.tries++;
    const outcome = await this.#endpoint.send(event);
    if (outcome.kind === 'delivered') this.#delivered++;
    if (outcome.kind === 'away') {
      call.away = outcome;
      this.#notBefore = Math.max(this.#notBefore, this.#clock.elapsed() + outcome.retryAfterMs);
    }
    return outcome;
  }

  /** Null if it was delivered. */
  #failureOf(record: SensedEvent, outcome: Outcome): Failure | null {
    if (outcome.kind === 'away' || outcome.kind === 'later') {
      const { code, reason } = outcome;
      return this.#givenUp(record, reason) ?? { record, code, reason, retriable: true };
    }
    this.#known.delete(record.id);
    if (outcome.kind === 'delivered') return null;
    return { record, code: outcome.code, reason: outcome.reason, retriable: false };
  }

  #givenUp(record: SensedEvent, last: string): Failure | null {
    const delivery = this.#known.get(record.id);
    if (!delivery || this.#clock.elapsed() - delivery.since < this.#settings.giveUpMs) return null;
    this.#known.delete(record.id);
    const reason = `given up after ${delivery.tries} attempts; the last: ${last}`;
    return { record, code: 'webhook.gave_up', reason, retriable: false };
  }
}

const OVER_LIMIT: Outcome = {
  kind: 'refused',
  code: 'webhook.rate_limit',
  reason:
    'the receiver has reached its limit of events per hour (`max_events_per_hour`): replay the event from the dead letters later',
};

const SLOW: Outcome = {
  kind: 'later',
  code: 'webhook.slow',
  reason: 'the receiver takes events more slowly than they arrive: the others are sent later',
};

const ASKED: Away = {
  kind: 'away',
  code: 'webhook.later',
  reason: 'the receiver asked to be called later',
  retryAfterMs: 0,
};

/** Time limit of a call. */
const MAX_CALL_MS = 15_000;
/** Limit of waiting events whose attempts are remembered. */
const MAX_KNOWN = 20_000;
