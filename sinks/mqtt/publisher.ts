import type { Context } from '../../pipeline/component/index.js';
import type { Data, Environment, Failure } from '../../pipeline/model/index.js';
import { MqttConnection } from '../../pipeline/sources/mqtt/connection.js';
import { BrokerError } from '../../pipeline/sources/mqtt/errors.js';
import type { BrokerSettings } from '../../pipeline/sources/mqtt/settings.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { Announcer } from './announcer.js';
import type { Entity } from './entities.js';
import { Messages, type Message, type MessageKind } from './messages.js';
import { Topics } from './topics.js';

export interface RoomSettings {
  readonly broker: BrokerSettings;
  readonly clientId: string;
  readonly prefix: string;
  readonly qos: Readonly<Record<MessageKind, 0 | 1>>;
  readonly persons: boolean;
  readonly summaryInterval: number;
  readonly maxInFlight: number;
  /** Microseconds of event time for which a fall keeps the room occupied. */
  readonly fallHold: number;
  readonly homeAssistant: { readonly prefix: string; readonly entities: readonly Entity[] } | null;
  readonly version: string;
}

/** What one environment publishes. It has a separate connection, because a connection has only one last will. */
export class Room {
  readonly #environment: Environment;
  readonly #settings: RoomSettings;
  readonly #context: Context;
  readonly #topics: Topics;
  readonly #messages: Messages;
  readonly #connection: MqttConnection;
  /** Topics that the broker has rejected, and the time until which they are not retried, monotonic milliseconds. */
  readonly #refused = new Map<string, { readonly until: number; readonly error: BrokerError }>();
  /** Null: Home Assistant is not to find it. */
  readonly #announcer: Announcer | null;
  #opening: Promise<void> | undefined;
  #published = 0;
  #knowsOccupancy = false;

  constructor(environment: Environment, settings: RoomSettings, context: Context) {
    this.#environment = environment;
    this.#settings = settings;
    this.#context = context;
    this.#topics = new Topics(settings.prefix, environment.id);
    this.#messages = new Messages(this.#topics, {
      ...settings,
      environment,
      isCounted: context.inputs.includes('watch-zones'),
      clock: context.clock,
    });
    this.#connection = new MqttConnection(settings.broker, context, {
      clientId: settings.clientId,
      will: { topic: this.#topics.status('connection'), payload: 'offline' },
      connected: () => this.#connected(),
      message: ({ topic, payload, retain }, acknowledge) => {
        acknowledge();
        if (topic === this.#topics.status('occupancy')) this.#goOnFrom(payload.toString());
        else this.#announcer?.hear({ topic, payload: payload.toString(), retain });
      },
    });
    const { homeAssistant, version } = settings;
    this.#announcer = homeAssistant
      ? new Announcer(environment, this.#topics, { ...homeAssistant, version }, context, this.#connection)
      : null;
  }

  /** Connects. Rejects with a {@link BrokerError} if the broker is unavailable. */
  async open(): Promise<void> {
    await (this.#opening ??= this.#connection.open());
    await this.#connection.ready();
  }

  /** Resolves when the broker has everything, with the messages that it rejected; rejects if it accepted nothing. */
  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    await this.open();
    await this.#announcer?.see(records);
    const { messages, failed } = this.#messages.of(records);
    const { refused, lost } = await this.#publishUntilAway(messages);
    const [first] = lost.values();
    if (first && lost.size === messages.length && failed.length === 0) throw first;
    const failures = new Map<Data, Failure>();
    for (const [message, error] of [...lost, ...refused])
      for (const record of message.records)
        failures.set(record, { record, code: error.code, reason: error.message, retriable: error.retriable });
    return [...failed, ...failures.values()];
  }

  async close(): Promise<void> {
    if (this.#connection.connected)
      await this.#connection
        .publish(this.#topics.status('connection'), 'offline', STATE)
        .catch((error: unknown) => {
          this.#context.log.debug('the broker was not notified of the end', { error: String(error) });
        });
    await this.#connection.close();
  }

  describe(): Readonly<Record<string, unknown>> {
    return { ...this.#connection.describe(), published: this.#published };
  }

  /** If the connection breaks and comes back, lost messages are published again, in order. */
  async #publishUntilAway(messages: readonly Message[]): Promise<Outcome> {
    const refused = new Map<Message, BrokerError>();
    for (let left = messages; ;) {
      const lost = new Map<Message, BrokerError>();
      for (const [message, error] of await this.#publishAll(left))
        (error.retriable ? lost : refused).set(message, error);
      const progress = lost.size > 0 && lost.size < left.length;
      if (!progress || !(await this.#isBack())) {
        this.#messages.lost(new Set([...lost.keys()].map(({ topic }) => topic)));
        return { refused, lost };
      }
      left = left.filter((message) => lost.has(message));
    }
  }

  #isBack(): Promise<boolean> {
    return this.#connection.ready().then(
      () => true,
      () => false,
    );
  }

  /** Keeps enough messages in flight to keep the broker busy, but no more than it must accept at a time. */
  async #publishAll(messages: readonly Message[]): Promise<ReadonlyMap<Message, BrokerError>> {
    const errors = new Map<Message, BrokerError>();
    const left = messages[Symbol.iterator]();
    const atOnce = Math.min(this.#settings.maxInFlight, this.#connection.receiveMaximum);
    const worker = async (): Promise<void> => {
      for (const message of left) {
        const error = await this.#publish(message);
        if (error) errors.set(message, error);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return errors;
  }

  async #publish({ topic, payload, kind, retain }: Message): Promise<BrokerError | null> {
    const { clock } = this.#context;
    const refused = this.#refused.get(topic);
    if (refused && clock.elapsed() < refused.until) return refused.error;
    try {
      await this.#connection.publish(topic, payload, { qos: this.#settings.qos[kind], retain });
      this.#published++;
      this.#context.metrics.count('published', 1);
      return null;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      if (!error.retriable) this.#remember(topic, error);
      return error;
    }
  }

  /** A broker may close the connection after each rejection, so a topic is not retried immediately. */
  #remember(topic: string, error: BrokerError): void {
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.set(topic, { until: this.#context.clock.elapsed() + REFUSED_MS, error });
  }

  async #connected(): Promise<void> {
    await this.#readOccupancy();
    await this.#announcer?.connected();
    await this.#connection.publish(this.#topics.status('engine'), this.#engine(), STATE);
    await this.#connection.publish(this.#topics.status('connection'), 'online', STATE);
  }

  /** The broker retains the last state, so a fall that an earlier run found still counts. */
  async #readOccupancy(): Promise<void> {
    if (this.#knowsOccupancy) return;
    try {
      await this.#connection.subscribe([this.#topics.status('occupancy')], 1);
    } catch (error) {
      const consequence = 'a fall before this start does not keep the room occupied';
      this.#context.log.warn(`the occupancy of an earlier run cannot be read: ${consequence}`, {
        error: String(error),
      });
    }
  }

  /** Messages after the first are our own. */
  #goOnFrom(payload: string): void {
    if (!this.#knowsOccupancy) this.#messages.goOnFrom(payload);
    this.#knowsOccupancy = true;
  }

  /** The publisher. */
  #engine(): string {
    const { topology, node, clock } = this.#context;
    const { id, name, links, zones } = this.#environment;
    return JSON.stringify({
      environment_id: id,
      name: name ?? id,
      topology,
      node,
      version: this.#settings.version,
      connected_at: isoTime(clock.now()),
      links: links.map((link) => link.id),
      zones: zones.map((zone) => zone.id),
    });
  }
}

/** Messages that the broker rejects, and those that did not reach it. */
interface Outcome {
  readonly refused: ReadonlyMap<Message, BrokerError>;
  readonly lost: ReadonlyMap<Message, BrokerError>;
}

const STATE = { qos: 1, retain: true } as const;
const REFUSED_MS = 60_000;
const MAX_REFUSED = 1024;
