import { codeOf } from '../contract/errors.js';
import { environmentOf, requireHere } from '../service/deployment/environments.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { ApiError } from '../service/errors.js';
import type { Connection, Subscription } from './connection.js';

/**
 * Informs subscribers that another process of the group reads their room, which is therefore silent here. A
 * room can move at any time, so rooms that were silent since the last check are checked.
 */
export class MovedRooms {
  readonly #deployment: Deployment;
  /** The last notice to each subscription. */
  readonly #told = new WeakMap<Subscription, string>();
  readonly #heard = new Set<string>();
  #looking = false;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** A pose of the room arrived: this process reads it. */
  heard(environment: string): void {
    this.#heard.add(environment);
  }

  async tell(connection: Connection, subscription: Subscription): Promise<void> {
    const { environment } = subscription;
    if (environment !== null) this.#say(connection, subscription, await this.#away(environment));
  }

  /** Call it every few seconds; it runs one check at a time. */
  async look(connections: Iterable<Connection>): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const found = new Map<string, Promise<ApiError | null>>();
      const silent = [...connections].flatMap((connection) =>
        [...connection.subscriptions].flatMap((subscription) => {
          const { environment } = subscription;
          const isSilent = environment !== null && !this.#heard.has(environment);
          return isSilent ? [{ connection, subscription, environment }] : [];
        }),
      );
      this.#heard.clear();
      for (const { connection, subscription, environment } of silent) {
        if (!found.has(environment)) found.set(environment, this.#away(environment));
        const away = await found.get(environment)!;
        // It is moving, or Kafka is offline: the next check shows more.
        if (away?.situation !== 'SYSTEM_NOT_READY') this.#say(connection, subscription, away);
      }
    } finally {
      this.#looking = false;
    }
  }

  /** Once for each new address. */
  #say(connection: Connection, subscription: Subscription, away: ApiError | null): void {
    const said = this.#told.get(subscription);
    if (away === null) this.#told.delete(subscription);
    else if (said !== away.message && connection.find(subscription.id)) {
      this.#told.set(subscription, away.message);
      connection.send({ type: 'error', code: codeOf(away), message: away.message });
    }
  }

  /** Why there is no data of the room here; null if it is read here, or nowhere. */
  async #away(environment: string): Promise<ApiError | null> {
    try {
      const served = environmentOf(this.#deployment, environment);
      if (served.running.topology.settings.scaleOut === true) await requireHere(served);
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
}
