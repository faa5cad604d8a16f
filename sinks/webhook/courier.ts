import type { Context } from '../../pipeline/component/index.js';
import type { Failure, SensedEvent } from '../../pipeline/model/index.js';
import { backoff, pause } from '../../pipeline/base/backoff.js';
import { turn } from '../../pipeline/base/waiting.js';
import { Outbox, type OutboxEntry, type StateStore } from '../../pipeline/state/index.js';
import { AddressError } from './address.js';
import { AwayError, Deliveries, type DeliverySettings } from './deliveries.js';
import { Endpoint, type EndpointSettings } from './endpoint.js';
import { HourlyLimit } from './hourly-limit.js';
import type { Webhook } from './registry.js';

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 30_000;
/** Limit on disk for one endpoint; beyond it the oldest events are dropped. */
const MAX_BYTES = 16 << 20;

export interface CourierSettings extends Omit<EndpointSettings, 'url' | 'secret'>, DeliverySettings {
  readonly maxEventsPerHour: number;
}

/**
 * Delivers events to one endpoint. They wait in a separate outbox until it has them, so that an offline
 * endpoint blocks no other, and a kill loses none.
 */
export class Courier {
  readonly id: string;
  readonly #webhook: Webhook;
  readonly #context: Context;
  readonly #store: StateStore;
  readonly #outbox: Outbox;
  readonly #refused: (failures: readonly Failure[]) => void;
  readonly #route: { readonly endpoint: Endpoint; readonly deliveries: Deliveries } | AddressError;
  readonly #stop = new AbortController();
  readonly #work: Promise<void>;
  #wake: () => void = () => undefined;
  readonly #maxInFlight: number;
  #problem: string | null = null;
  /** Failed calls since the last that reached the receiver. */
  #failures = 0;
  /** Monotonic milliseconds. */
  #notBefore = -Infinity;

  constructor(
    webhook: Webhook,
    settings: CourierSettings,
    store: StateStore,
    context: Context,
    refused: (failures: readonly Failure[]) => void,
  ) {
    this.id = webhook.id;
    this.#webhook = webhook;
    this.#context = context;
    this.#store = store;
    this.#refused = refused;
    this.#maxInFlight = settings.maxInFlight;
    this.#outbox = new Outbox(store, String(webhook.queue));
    this.#route = routeTo(webhook, settings, context);
    this.#work = this.#run().catch((error: unknown) => {
      this.#problem = String(error);
      context.log.error('a webhook is no longer served', { webhook: webhook.id, error: String(error) });
    });
  }

  wants({ type }: SensedEvent): boolean {
    return this.#webhook.events.includes(type);
  }

  /** Resolves when they are on disk. */
  async take(epoch: number, events: readonly SensedEvent[]): Promise<void> {
    await this.#outbox.put(epoch, events);
    this.#wake();
    while (this.#outbox.bytes > MAX_BYTES) {
      const dropped = await this.#outbox.dropOldest(['rest', 'urgent', 'severe']);
      if (dropped === 0) break;
      this.#context.metrics.dropped('outbox_full', dropped);
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return { id: this.id, waiting: this.#outbox.records, problem: this.#problem };
  }

  /** Undelivered events stay in the outbox, unless the endpoint was removed. */
  async end(forget: boolean): Promise<void> {
    this.#stop.abort();
    this.#wake();
    if (!(this.#route instanceof AddressError)) this.#route.endpoint.close();
    await this.#work;
    if (forget) await empty(this.#store, this.#outbox);
  }

  /** Several in parallel, each by itself: a rejected one blocks no other. */
  async #run(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    while (!this.#stop.signal.aborted) {
      const [entry] = underWay.size < this.#most ? this.#outbox.take(1, this.#now) : [];
      if (entry) {
        const call = this.#deliver(entry).finally(() => underWay.delete(call));
        underWay.add(call);
      } else await this.#something(underWay);
    }
    await Promise.all(underWay);
  }

  get #now(): number {
    return this.#context.clock.elapsed();
  }

  /** Calls allowed in flight now: one, to test whether an offline receiver is back. */
  get #most(): number {
    if (this.#failures === 0) return this.#maxInFlight;
    return this.#now < this.#notBefore ? 0 : 1;
  }

  async #deliver(entry: OutboxEntry): Promise<void> {
    const events = entry.records as readonly SensedEvent[];
    let failures: readonly Failure[];
    try {
      failures =
        this.#route instanceof AddressError
          ? never(events, this.#route)
          : await this.#route.deliveries.send(events);
      this.#failures = 0;
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof AwayError)) throw error;
      this.#isAway(error);
      this.#outbox.giveBack(entry, events, 0);
      return;
    }
    const again = failures.filter(({ retriable }) => retriable);
    if (again.length < failures.length) this.#refused(failures.filter(({ retriable }) => !retriable));
    if (again.length === 0) {
      this.#outbox.delivered(entry);
      await cut(this.#store, this.#outbox);
    } else {
      this.#problem = again[0]!.reason;
      const left = again.map(({ record }) => record as SensedEvent);
      this.#outbox.giveBack(entry, left, this.#now + this.#pause(entry.tries + 1));
    }
  }

  #isAway({ message }: AwayError): void {
    if (!this.#stop.signal.aborted && this.#problem === null)
      this.#context.log.warn('a webhook is offline', { webhook: this.id, reason: message });
    this.#problem = message;
    this.#notBefore = this.#now + this.#pause(++this.#failures);
  }

  #pause(tries: number): number {
    return backoff(tries, FIRST_RETRY_MS, MAX_RETRY_MS, this.#context.random);
  }

  /** Resolves when an entry may be available, or a call has ended. */
  async #something(underWay: ReadonlySet<Promise<void>>): Promise<void> {
    const wait = (this.#failures > 0 ? this.#notBefore : this.#outbox.nextDue) - this.#now;
    const isFull = underWay.size >= this.#most;
    if (underWay.size === 0 && this.#outbox.records > 0 && !(wait > 0 && wait < Infinity)) {
      // Its write to disk is in progress.
      await this.#outbox.settled();
      await turn();
      return;
    }
    const woken = new AbortController();
    this.#wake = () => {
      woken.abort();
    };
    if (this.#stop.signal.aborted) woken.abort();
    const { clock } = this.#context;
    const longest = isFull && underWay.size > 0 ? MAX_RETRY_MS : Math.min(wait, MAX_RETRY_MS);
    await Promise.race([...underWay, pause(longest, woken.signal, clock)]);
    woken.abort();
  }
}

/** Assigns a queue to an endpoint: the events of an earlier one are deleted. */
export async function takeQueue(store: StateStore, { id, queue }: Webhook): Promise<void> {
  const owners = store.table('owners');
  if (owners.get(queue)?.toString() === id) return;
  await empty(store, new Outbox(store, String(queue)));
  await owners.put(queue, Buffer.from(id));
}

async function empty(store: StateStore, outbox: Outbox): Promise<void> {
  for (let entry = outbox.next(); entry; entry = outbox.next()) outbox.delivered(entry);
  await cut(store, outbox);
}

/** Delivered events are deleted. */
async function cut(store: StateStore, outbox: Outbox): Promise<void> {
  outbox.flushed();
  await store.transaction(outbox.cutter());
}

function routeTo(
  { url, secret }: Webhook,
  settings: CourierSettings,
  { clock }: Context,
): { readonly endpoint: Endpoint; readonly deliveries: Deliveries } | AddressError {
  try {
    const endpoint = new Endpoint({ ...settings, url, secret }, clock);
    const limit = new HourlyLimit(settings.maxEventsPerHour);
    return { endpoint, deliveries: new Deliveries(endpoint, limit, clock, settings) };
  } catch (error) {
    if (error instanceof AddressError) return error;
    throw error;
  }
}

const never = (events: readonly SensedEvent[], { code, message }: AddressError): readonly Failure[] =>
  events.map((record) => ({ record, code, reason: message, retriable: false }));
