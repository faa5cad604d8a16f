import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { defineSink, type Context, type Sink } from '../../pipeline/component/index.js';
import type { Data, Failure, SensedEvent } from '../../pipeline/model/index.js';
import { tellReseal } from '../../pipeline/telemetry/reseal.js';
import { NO_KEYS, openState, STATE_FILE, StateStore, type StateKeys } from '../../pipeline/state/index.js';
import { packageVersion } from '../../pipeline/base/paths.js';
import { hideSecret } from '../../pipeline/base/secrets.js';
import { cloudeventsField } from '../shared/cloud-event.js';
import { Courier, takeQueue } from './courier.js';
import { restoreQueues } from './restore-queues.js';
import { Refusals } from './refusals.js';
import { WebhookRegistry, type Webhook } from './registry.js';

const Config = Type.Object(
  {
    allow_private: Type.Boolean({
      default: false,
      description:
        'Whether receivers may be in a private network, or on this machine. Otherwise such addresses are rejected, also behind a name.',
    }),
    timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 30_000,
      default: 10_000,
      description: 'Time limit for an answer of a receiver.',
    }),
    give_up_ms: Type.Integer({
      minimum: 0,
      maximum: 604_800_000,
      default: 86_400_000,
      description:
        'How long an event is retried while its receiver is offline; after that it becomes a dead letter.',
    }),
    max_in_flight: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 4,
      description: 'Limit of calls in flight to one receiver.',
    }),
    max_events_per_hour: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 10_000,
      description: 'Limit of events in any hour to one receiver; further ones become dead letters.',
    }),
    cloudevents: cloudeventsField,
  },
  { additionalProperties: false },
);

export const webhooks = defineSink({
  name: 'webhooks',
  summary: 'Sends alerts to the endpoints that are registered through the service interface.',
  description: [
    'Add and remove endpoints with `POST` and `DELETE /webhooks` while the topology runs. `csiflow run` adds this sink, with',
    'the defaults, to a topology that has none, behind the operators whose events reach a sink. Write it into the file',
    'to choose the nodes, or to allow receivers in a private network.',
    '',
    '- Each endpoint has its own queue on disk, so an offline one blocks no other and a kill loses nothing.',
    '- Calls, signatures, answers and dead letters are those of the sink `webhook`. A dead letter that is replayed goes to',
    '  the endpoints that rejected it.',
    '- A queue holds at most 16 MiB; beyond that its oldest events are dropped and counted (`outbox_full`).',
    '',
    'Not for topologies that are scaled out: their processes do not share a state folder.',
  ].join('\n'),
  inputs: ['event'],
  recovery: 'at-least-once',
  privacy: ['retention', 'encryption'],
  config: Config,
  examples: [
    { title: 'As it is', config: {} },
    { title: 'Receivers in the local network', config: { allow_private: true } },
  ],
  create: (config, context) => new WebhooksSink(config, context),
});

/** A removed webhook is noticed within this time. */
const LOOK_MS = 1000;

class WebhooksSink implements Sink {
  readonly #config: Static<typeof Config>;
  readonly #context: Context;
  readonly #couriers = new Map<string, Courier>();
  #registry: WebhookRegistry | undefined;
  #store: StateStore | undefined;
  #refusals: Refusals | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** One reading of the registry, or copy, at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(config: Static<typeof Config>, context: Context) {
    this.#config = config;
    this.#context = context;
  }

  async reseal(): Promise<void> {
    const { stateFolder, topology, log } = this.#context;
    new WebhookRegistry(stateFolder, this.#keys).reseal();
    if (!existsSync(join(this.#folder, STATE_FILE))) return;
    const store = await openState(this.#folder, topology, this.#keys, (becomes) => {
      tellReseal(log, this.#folder, becomes);
    });
    await store.close();
  }

  async open(): Promise<void> {
    this.#registry = new WebhookRegistry(this.#context.stateFolder, this.#keys);
    await this.#follow();
    this.#timer = setInterval(() => {
      this.#follow().catch((error: unknown) => {
        this.#context.log.error('the registered webhooks cannot be read', { error: String(error) });
      });
    }, LOOK_MS);
    this.#timer.unref();
  }

  /** Resolves when the events are in the queues of their endpoints. */
  async write(records: readonly Data[], epoch: number): Promise<readonly []> {
    if (!this.#registry) throw new Error('the webhooks are closed');
    const events = records.filter((record): record is SensedEvent => isOwn(record));
    if (events.length === 0) return [];
    await this.#follow(true);
    if (this.#couriers.size === 0) return [];
    const again = this.#refusals!.take(events);
    for (const courier of this.#couriers.values()) {
      const wanted = events.filter(
        (event) => courier.wants(event) && (again.get(event.id)?.includes(courier.id) ?? true),
      );
      if (wanted.length > 0) await courier.take(epoch, wanted);
    }
    return [];
  }

  /** No need to wait: everything written is on disk. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#registry = undefined;
    await this.#turn;
    await Promise.all([...this.#couriers.values()].map((courier) => courier.end(false)));
    this.#couriers.clear();
    await this.#store?.close();
    this.#store = undefined;
  }

  /** The queues. Opened separately, because an open sink delivers. */
  copyTo(folder: string): Promise<void> {
    return this.#inTurn(async () => {
      const copy = join(folder, STATE_FILE);
      if (this.#store) await this.#store.copyTo(copy);
      else if (existsSync(join(this.#folder, STATE_FILE))) {
        const store = this.#openStore();
        await store.copyTo(copy).finally(() => store.close());
      }
    });
  }

  restoreFrom(folder: string, aside: string): Promise<() => void> {
    return Promise.resolve(restoreQueues(join(folder, STATE_FILE), join(this.#folder, STATE_FILE), aside));
  }

  describe(): Readonly<Record<string, unknown>> {
    return { endpoints: [...this.#couriers.values()].map((courier) => courier.describe()) };
  }

  /** @param hasEvents true if there are events to send; no queues are created before that */
  #follow(hasEvents = false): Promise<void> {
    return this.#inTurn(() => this.#followNow(hasEvents));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #followNow(hasEvents: boolean): Promise<void> {
    if (!this.#registry || !(hasEvents || existsSync(join(this.#folder, STATE_FILE)))) return;
    const registered = this.#registry.list();
    const ids = new Set(registered.map(({ id }) => id));
    for (const [id, courier] of this.#couriers) {
      if (ids.has(id)) continue;
      this.#couriers.delete(id);
      await courier.end(true);
    }
    for (const webhook of registered)
      if (!this.#couriers.has(webhook.id)) this.#couriers.set(webhook.id, await this.#serve(webhook));
  }

  /** Folder of the queues. */
  get #folder(): string {
    return join(this.#context.stateFolder, 'webhooks');
  }

  get #keys(): StateKeys {
    return this.#context.storage ?? NO_KEYS;
  }

  #openStore(): StateStore {
    const { key, formerKey = null } = this.#keys;
    return new StateStore(this.#folder, this.#context.topology, key, formerKey);
  }

  async #serve(webhook: Webhook): Promise<Courier> {
    hideSecret(webhook.secret);
    this.#store ??= this.#openStore();
    this.#refusals ??= new Refusals(this.#store);
    await takeQueue(this.#store, webhook);
    const { allow_private, timeout_ms, give_up_ms, max_in_flight, max_events_per_hour } = this.#config;
    const settings = {
      allowPrivate: allow_private,
      timeoutMs: timeout_ms,
      giveUpMs: give_up_ms,
      maxInFlight: max_in_flight,
      maxEventsPerHour: max_events_per_hour,
      ca: undefined,
      version: packageVersion(),
      domain: this.#context.domain,
      cloudevents: this.#config.cloudevents,
      topology: this.#context.topology,
    };
    return new Courier(webhook, settings, this.#store, this.#context, (failures) => {
      this.#refused(webhook, failures);
    });
  }

  #refused({ id }: Webhook, failures: readonly Failure[]): void {
    this.#refusals?.note(id, failures);
    this.#context.refuse?.(failures);
  }
}

/** A sender's claim is not an alert. */
const isOwn = (record: Data): boolean => record.port === 'event' && record.source === 'csiflow';
