import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { startReceiver } from '../support/http-receiver.js';
import { startBroker } from '../support/mqtt-broker.js';
import { startMosquitto } from '../support/servers/mosquitto.js';
import type { ChildSinks } from './process.js';

export const WAYS = ['webhook', 'mqtt', 'websocket'] as const;
export type Way = (typeof WAYS)[number];

/** An MQTT broker, and its credentials. */
export interface Broker {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly stop: () => Promise<unknown>;
}

/** A real Mosquitto, or a broker in this process if there is none. */
export async function brokerOf(real: boolean): Promise<Broker> {
  if (!real) {
    const { port, close } = await startBroker();
    return { url: `mqtt://127.0.0.1:${port}`, username: 'csiflow', password: 'any', stop: close };
  }
  const { server, url, password } = await startMosquitto({ durable: false });
  return { url, username: 'csiflow', password, stop: () => server.stop() };
}

/** Share of calls that the webhook receiver rejects as busy. */
const BUSY = 0.2;

/**
 * Receivers of alerts: a webhook receiver that is often busy, a broker, and a listener of the live feed.
 * Counts each chain of kills separately.
 */
export class AlertReceivers {
  readonly #receiver: Awaited<ReturnType<typeof startReceiver>>;
  readonly #broker: Broker;
  readonly #client: MqttClient;
  /** Ids of alerts in order of arrival, by way and chain. */
  readonly #ids = new Map<string, string[]>();
  #chains = 0;

  static async start(broker: Broker): Promise<AlertReceivers> {
    const { url, username, password } = broker;
    const client = await connectAsync(url, { username, password, protocolVersion: 4 });
    await client.subscribeAsync('csiflow/#', { qos: 1 });
    return new AlertReceivers(await startReceiver(), broker, client);
  }

  private constructor(
    receiver: Awaited<ReturnType<typeof startReceiver>>,
    broker: Broker,
    client: MqttClient,
  ) {
    this.#receiver = receiver;
    this.#broker = broker;
    this.#client = client;
    receiver.answer = ({ path, body }, response) => {
      receiver.calls.length = 0;
      if (Math.random() < BUSY) {
        response.writeHead(503).end();
        return;
      }
      this.#note(`webhook ${path.split('/').at(-1)!}`, body);
      response.writeHead(204).end();
    };
    client.on('message', (topic, payload) => {
      const [, chain, , kind] = topic.split('/');
      if (kind === 'alerts') this.#note(`mqtt ${chain!}`, String(payload));
    });
  }

  /** Sinks for a new chain. */
  sinks(): ChildSinks & { readonly chain: string } {
    const chain = `chain-${++this.#chains}`;
    const { url, username, password } = this.#broker;
    return {
      chain,
      webhook: `http://127.0.0.1:${this.#receiver.port}/${chain}`,
      mqtt: { url, username, password, client_id: `${chain}-out`, prefix: `csiflow/${chain}` },
    };
  }

  /** Distinct ids of the alerts that arrived by a way, and the number of repetitions. */
  alerts(
    way: Way,
    chain: string,
    folder: string,
  ): { readonly ids: readonly string[]; readonly again: number } {
    const all = way === 'websocket' ? heardIn(folder) : (this.#ids.get(`${way} ${chain}`) ?? []);
    const ids = [...new Set(all)].sort();
    return { ids, again: all.length - ids.length };
  }

  async close(): Promise<void> {
    await this.#receiver.close();
    await this.#client.endAsync(true);
  }

  #note(key: string, body: string): void {
    const { alert_id: id } = JSON.parse(body) as { alert_id: string };
    const ids = this.#ids.get(key);
    if (ids) ids.push(id);
    else this.#ids.set(key, [id]);
  }
}

/** Notes of the live feed's listener in the killed process. */
function heardIn(folder: string): readonly string[] {
  const path = join(folder, 'heard.part');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}
