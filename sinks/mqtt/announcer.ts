import type { Context } from '../../pipeline/component/index.js';
import type { Data, Environment } from '../../pipeline/model/index.js';
import type { MqttConnection } from '../../pipeline/sources/mqtt/connection.js';
import type { Entity } from './entities.js';
import {
  componentsOf,
  deviceMessage,
  discoveryTopics,
  isSingle,
  newFirst,
  removed,
  type Components,
  type DeviceMessage,
  type DiscoveryTopics,
} from './home-assistant.js';
import type { Topics } from './topics.js';

export interface AnnouncerSettings {
  /** Discovery prefix of Home Assistant. */
  readonly prefix: string;
  readonly entities: readonly Entity[];
  readonly version: string;
}

/** A message as it arrived. */
interface Arrived {
  readonly topic: string;
  readonly payload: string;
  /** It was retained before the subscription. */
  readonly retain: boolean;
}

/**
 * Announces an environment to Home Assistant as a device. It reads what earlier runs have announced, so that it
 * can remove entities that are gone, and move those of earlier versions, each with a topic of its own, to the
 * device: Home Assistant then keeps their ids, names and history.
 */
export class Announcer {
  readonly #environment: Environment;
  readonly #topics: Topics;
  readonly #settings: AnnouncerSettings;
  readonly #context: Context;
  readonly #connection: MqttConnection;
  readonly #discovery: DiscoveryTopics;
  /** Names of the measures that have arrived. */
  readonly #measures = new Set<string>();
  /** The entities that Home Assistant knows by the device's message. */
  #announced: Components = {};
  /** Topics of single entities that are to be cleared. */
  readonly #singles = new Set<string>();
  #isAnnounced = false;
  #announcing: Promise<void> = Promise.resolve();

  constructor(
    environment: Environment,
    topics: Topics,
    settings: AnnouncerSettings,
    context: Context,
    connection: MqttConnection,
  ) {
    this.#environment = environment;
    this.#topics = topics;
    this.#settings = settings;
    this.#context = context;
    this.#connection = connection;
    this.#discovery = discoveryTopics(settings.prefix, environment.id);
  }

  /** After each connect. */
  async connected(): Promise<void> {
    this.#isAnnounced = false;
    await this.#readEarlier();
    // Brokers deliver the retained messages of a subscription before they answer the next one.
    await this.#connection.subscribe([this.#status], 1);
    await this.#announce();
  }

  /** A message of Home Assistant, or one that an earlier run has left. */
  hear({ topic, payload, retain }: Arrived): void {
    if (topic === this.#status) {
      // Home Assistant has restarted, and its broker may have retained nothing.
      if (payload === 'online' && !retain) void this.#announceAgain();
      return;
    }
    // Everything else on these topics is what this run has published.
    if (!retain) return;
    const earlier = topic === this.#discovery.device ? componentsOf(payload) : null;
    if (earlier) this.#announced = { ...earlier, ...this.#announced };
    else if (matches(topic, this.#discovery.single) && isSingle(payload)) this.#singles.add(topic);
    else return;
    if (this.#isAnnounced) void this.#announceAgain();
  }

  /** Announces the environment again if there is a new measure: an entity may have been waiting for it. */
  async see(records: readonly Data[]): Promise<void> {
    const before = this.#measures.size;
    for (const record of records)
      if (record.port === 'measure' && record.source === 'csiflow' && this.#measures.size < MAX_MEASURES)
        this.#measures.add(record.name);
    if (this.#measures.size > before) await this.#announceAgain();
  }

  get #status(): string {
    return `${this.#settings.prefix}/status`;
  }

  async #readEarlier(): Promise<void> {
    try {
      await this.#connection.subscribe([this.#discovery.device, this.#discovery.single], 1);
    } catch (error) {
      const consequence = 'entities that are gone stay in Home Assistant';
      this.#context.log.warn(`earlier announcements to Home Assistant cannot be read: ${consequence}`, {
        error: String(error),
      });
    }
  }

  /** Moves, removes and adds entities, in the order that Home Assistant documents. */
  async #announce(): Promise<void> {
    const { version, entities: wanted } = this.#settings;
    const message = deviceMessage(this.#environment, this.#topics, {
      version,
      wanted,
      components: this.#context.inputs,
      measures: this.#measures,
    });
    const singles = [...this.#singles];
    for (const topic of singles) await this.#publish(topic, MIGRATE, false);
    const gone = removed(this.#announced, message);
    if (Object.keys(gone).length > 0)
      await this.#publishDevice({ ...message, components: { ...message.components, ...gone } });
    await this.#publishDevice(newFirst(message, this.#announced));
    this.#announced = message.components;
    this.#isAnnounced = true;
    for (const topic of singles) {
      await this.#publish(topic, '', true);
      this.#singles.delete(topic);
    }
  }

  /** One announcement after the other: each depends on what the one before has published. */
  #announceAgain(): Promise<void> {
    this.#announcing = this.#announcing.then(() => this.#tryToAnnounce());
    return this.#announcing;
  }

  async #tryToAnnounce(): Promise<void> {
    try {
      await this.#announce();
    } catch (error) {
      this.#context.log.warn('the entities were not announced to Home Assistant again', {
        error: String(error),
      });
    }
  }

  /** A device without entities is removed. */
  #publishDevice(message: DeviceMessage): Promise<void> {
    const isEmpty = Object.keys(message.components).length === 0;
    return this.#publish(this.#discovery.device, isEmpty ? '' : JSON.stringify(message), true);
  }

  #publish(topic: string, payload: string, retain: boolean): Promise<void> {
    return this.#connection.publish(topic, payload, { qos: 1, retain });
  }
}

/** Whether a topic has these levels; `+` stands for any. */
function matches(topic: string, filter: string): boolean {
  const [levels, expected] = [topic.split('/'), filter.split('/')];
  return (
    levels.length === expected.length && expected.every((level, at) => level === '+' || level === levels[at])
  );
}

/** Tells Home Assistant that an entity moves to a device: it is unloaded, and its settings remain. */
const MIGRATE = JSON.stringify({ migrate_discovery: true });
const MAX_MEASURES = 256;
