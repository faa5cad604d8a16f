import { randomUUID } from 'node:crypto';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { MessageError, type Channel, type readMessage, type Subscribe } from '../contract/client-messages.js';
import { codeOf } from '../contract/errors.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { environmentOf } from '../service/deployment/environments.js';
import { ApiError } from '../service/errors.js';
import type { Connection, Subscription } from './connection.js';
import { EndedSubscriptions, RESUME_MS } from './ended.js';
import type { MovedRooms } from './moved-rooms.js';
import type { PoseGroups } from './pose-groups.js';
import type { Retained } from './retained.js';

const STREAMS_PER_ACCOUNT = 10;

interface Parts {
  readonly deployment: Deployment;
  readonly connections: ReadonlySet<Connection>;
  readonly groups: PoseGroups;
  readonly retained: Retained;
  readonly moved: MovedRooms;
  /** Sends the system's status to a client. */
  readonly sendStatus: (connection: Connection) => void;
}

/** Requests of clients: subscriptions that begin and end, and that a reconnecting client resumes. */
export class Subscriptions {
  readonly #deployment: Deployment;
  readonly #connections: ReadonlySet<Connection>;
  readonly #groups: PoseGroups;
  readonly #retained: Retained;
  readonly #moved: MovedRooms;
  readonly #sendStatus: (connection: Connection) => void;
  readonly #ended = new EndedSubscriptions();

  constructor({ deployment, connections, groups, retained, moved, sendStatus }: Parts) {
    this.#deployment = deployment;
    this.#connections = connections;
    this.#groups = groups;
    this.#retained = retained;
    this.#moved = moved;
    this.#sendStatus = sendStatus;
  }

  /** A connection has ended: its subscriptions can be resumed for a while. */
  forget(connection: Connection): void {
    const subscriptions = [...connection.subscriptions];
    for (const subscription of subscriptions) this.#end(connection, subscription);
    this.#ended.add(connection.name, subscriptions, this.#now);
  }

  /** @throws MessageError if the request cannot be met */
  answer(connection: Connection, message: ReturnType<typeof readMessage>): void {
    switch (message.type) {
      case 'ping':
        connection.send({ type: 'pong', timestamp: isoTime(this.#deployment.clock.now()) });
        return;
      case 'unsubscribe':
        this.#unsubscribe(connection, message.subscription_id);
        return;
      case 'subscribe':
        if (message.resume) this.#resume(connection, message, message.resume);
        else this.#subscribe(connection, message);
    }
  }

  #unsubscribe(connection: Connection, id: string): void {
    const subscription = connection.find(id);
    if (!subscription)
      throw new MessageError('RESOURCE_NOT_FOUND', `No subscription ${id.slice(0, 64)} on this connection`);
    this.#end(connection, subscription);
    connection.send({ type: 'unsubscription_confirmed', subscription_id: id });
  }

  #subscribe(connection: Connection, { channel, filters = {} }: Subscribe): void {
    const subscription = {
      id: randomUUID(),
      channel,
      filters,
      environment: this.#environmentOf(channel, filters),
      form: connection.form,
      alertsBefore: this.#retained.alerts,
    } as Subscription;
    this.#begin(connection, subscription);
    this.#confirm(connection, subscription);
    void this.#moved.tell(connection, subscription);
  }

  /** @throws MessageError if the subscription no longer exists: the client then makes another one. */
  #resume(
    connection: Connection,
    message: Subscribe,
    { subscription_id: id }: { subscription_id: string },
  ): void {
    const known = this.#takeOver(connection, id);
    if (known?.channel !== message.channel) {
      if (known) this.#ended.add(connection.name, [known], this.#now);
      throw new MessageError(
        'RESOURCE_NOT_FOUND',
        `No subscription ${id.slice(0, 64)} to ${message.channel} has ended in the last ${RESUME_MS / 1000} seconds: subscribe without resume`,
      );
    }
    const filters = message.filters ?? known.filters;
    const resumed = {
      ...known,
      filters,
      environment: this.#environmentOf(message.channel, filters),
    } as Subscription;
    this.#begin(connection, resumed);
    const { texts, missed } = this.#retained.missedBy(resumed, message);
    this.#confirm(connection, resumed, { resumed: { sent: texts.length, missed } });
    for (const text of texts) connection.sendText(text);
    void this.#moved.tell(connection, resumed);
  }

  /** From its previous connection: one that broke silently may still appear open. */
  #takeOver(connection: Connection, id: string): Subscription | null {
    for (const other of this.#connections) {
      const subscription = other.name === connection.name ? other.find(id) : undefined;
      if (!subscription) continue;
      this.#end(other, subscription);
      return subscription;
    }
    return this.#ended.take(id, connection.name, this.#now);
  }

  #begin(connection: Connection, subscription: Subscription): void {
    if (subscription.channel === 'pose_updates') this.#checkStreams(connection);
    if (!connection.add(subscription)) {
      throw new MessageError(
        'RATE_LIMIT_EXCEEDED',
        'This connection has the largest number of subscriptions: unsubscribe from one first',
      );
    }
    if (subscription.channel === 'pose_updates') this.#groups.add(subscription, connection);
  }

  #end(connection: Connection, subscription: Subscription): void {
    connection.remove(subscription.id);
    if (subscription.channel === 'pose_updates') this.#groups.remove(subscription);
  }

  #confirm(connection: Connection, { channel, id, filters }: Subscription, more: object = {}): void {
    const type = 'subscription_confirmed';
    connection.send({ type, channel, subscription_id: id, filters_applied: filters, ...more });
    if (channel === 'system_status') this.#sendStatus(connection);
  }

  /**
   * Poses are of one environment: without a name, the default one of all calls. Other channels are about all
   * environments, even if there is none, unless they name one. @throws MessageError if no topology senses it
   */
  #environmentOf(
    channel: Channel,
    { environment_id: id }: { readonly environment_id?: string },
  ): string | null {
    if (channel !== 'pose_updates' && id === undefined) return null;
    try {
      return environmentOf(this.#deployment, id).environment.id;
    } catch (error) {
      if (error instanceof ApiError) throw new MessageError(codeOf(error), error.message);
      throw error;
    }
  }

  /** @throws MessageError beyond the limit of an account */
  #checkStreams({ name }: Connection): void {
    const streams = [...this.#connections]
      .filter((other) => other.name === name)
      .reduce((total, other) => total + other.streams, 0);
    if (streams >= STREAMS_PER_ACCOUNT) {
      throw new MessageError(
        'RATE_LIMIT_EXCEEDED',
        `An account may have at most ${STREAMS_PER_ACCOUNT} streams: unsubscribe from one first`,
      );
    }
  }

  /** Milliseconds since 1970. */
  get #now(): number {
    return this.#deployment.clock.now() / 1000;
  }
}
