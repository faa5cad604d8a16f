import type { ChildSinks } from './process.js';
import { startBroker } from '../support/mqtt-broker.js';
import { startReceiver } from '../support/http-receiver.js';

/** How often the receiver of webhooks says that it is busy. */
const BUSY = 0.2;

/** Who is told of alerts: a receiver of webhooks that is often busy, and a broker. Each chain of kills is told apart. */
export class Told {
  readonly #receiver: Awaited<ReturnType<typeof startReceiver>>;
  readonly #broker: Awaited<ReturnType<typeof startBroker>>;
  /** Ids of alerts as they came, by way and chain. */
  readonly #ids = new Map<string, string[]>();
  #chains = 0;

  static async start(): Promise<Told> {
    return new Told(await startReceiver(), await startBroker());
  }

  private constructor(
    receiver: Awaited<ReturnType<typeof startReceiver>>,
    broker: Awaited<ReturnType<typeof startBroker>>,
  ) {
    this.#receiver = receiver;
    this.#broker = broker;
    receiver.answer = ({ path, body }, response) => {
      receiver.calls.length = 0;
      if (Math.random() < BUSY) {
        response.writeHead(503).end();
        return;
      }
      this.#note(`webhook ${path.split('/').at(-1)!}`, body);
      response.writeHead(204).end();
    };
    broker.broker.on('publish', ({ topic, payload }) => {
      const [prefix, , kind] = topic.split('/');
      if (kind === 'alerts') this.#note(`mqtt ${prefix!}`, String(payload));
    });
  }

  /** Sinks of a new chain. */
  sinks(): ChildSinks & { readonly chain: string } {
    const chain = `chain-${++this.#chains}`;
    return {
      chain,
      webhook: `http://127.0.0.1:${this.#receiver.port}/${chain}`,
      mqtt: { url: `mqtt://127.0.0.1:${this.#broker.port}`, prefix: chain },
    };
  }

  /** Ids of the alerts that came by a way, each once, and how many came again. */
  alerts(
    way: 'webhook' | 'mqtt',
    chain: string,
  ): { readonly ids: readonly string[]; readonly again: number } {
    const all = this.#ids.get(`${way} ${chain}`) ?? [];
    const ids = [...new Set(all)].sort();
    return { ids, again: all.length - ids.length };
  }

  async close(): Promise<void> {
    await this.#receiver.close();
    await this.#broker.close();
  }

  #note(key: string, body: string): void {
    const { alert_id: id } = JSON.parse(body) as { alert_id: string };
    const ids = this.#ids.get(key);
    if (ids) ids.push(id);
    else this.#ids.set(key, [id]);
  }
}
