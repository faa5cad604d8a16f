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
const LONGEST_RETRY_MS = 30_000;
/** What waits for one endpoint takes no more than this on disk: then the oldest is dropped. */
const MOST_BYTES = 16 << 20;

export interface CourierSettings extends Omit<EndpointSettings, 'url' | 'secret'>, DeliverySettings {
  readonly maxEventsPerHour: number;
}

/**
 * Brings events to one endpoint: they wait in an outbox of its own until it has them, so that one that is away
 * keeps no other waiting, and a kill loses none.
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
  #problem: string | null = null;

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
    this.#outbox = new Outbox(store, String(webhook.queue));
    this.#route = routeTo(webhook, settings, context);
    this.#work = this.#run().catch((error: unknown) => {
      this.#problem = String(error);
      context.log.error('a webhook is not served any more', { webhook: webhook.id, error: String(error) });
    });
  }

  wants({ type }: SensedEvent): boolean {
    return this.#webhook.events.includes(type);
  }

  /** Resolves when they are on disk. */
  async take(epoch: number, events: readonly SensedEvent[]): Promise<void> {
    const appended = this.#outbox.append(epoch, events);
    this.#wake();
    await appended;
    while (this.#outbox.bytes > MOST_BYTES) {
      const dropped = await this.#outbox.dropOldest();
      if (dropped === 0) break;
      this.#context.metrics.dropped('outbox_full', dropped);
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return { id: this.id, waiting: this.#outbox.records, problem: this.#problem };
  }

  /** What is not delivered stays in the outbox, unless the endpoint is not wanted any more. */
  async end(forget: boolean): Promise<void> {
    this.#stop.abort();
    this.#wake();
    if (!(this.#route instanceof AddressError)) this.#route.endpoint.close();
    await this.#work;
    if (forget) await empty(this.#store, this.#outbox);
  }

  async #run(): Promise<void> {
    for (let attempt = 0; !this.#stop.signal.aborted;) {
      const entry = this.#outbox.next();
      if (!entry) {
        await this.#something();
        continue;
      }
      attempt = (await this.#deliver(entry)) ? 0 : attempt + 1;
      if (attempt === 0) continue;
      const wait = backoff(attempt, FIRST_RETRY_MS, LONGEST_RETRY_MS, this.#context.random);
      await pause(wait, this.#stop.signal, this.#context.clock);
    }
  }

  /** False where it is to be tried again. */
  async #deliver(entry: OutboxEntry): Promise<boolean> {
    const events = entry.records as readonly SensedEvent[];
    try {
      const failures =
        this.#route instanceof AddressError
          ? never(events, this.#route)
          : await this.#route.deliveries.send(events);
      this.#problem = null;
      if (failures.length > 0) this.#refused(failures);
    } catch (error) {
      if (!(error instanceof AwayError)) throw error;
      if (!this.#stop.signal.aborted && this.#problem === null)
        this.#context.log.warn('a webhook is away', { webhook: this.id, reason: error.message });
      this.#problem = error.message;
      return false;
    }
    this.#outbox.delivered(entry);
    await cut(this.#store, this.#outbox);
    return true;
  }

  /** Until there is an entry that can be handed out. */
  async #something(): Promise<void> {
    if (this.#outbox.records > 0) {
      // It is on its way to the disk.
      await this.#outbox.settled();
      await turn();
      return;
    }
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#stop.signal.aborted) resolve();
    });
  }
}

/** Makes a queue that of an endpoint: what another one had in it before is forgotten. */
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

/** What was delivered is forgotten. */
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
