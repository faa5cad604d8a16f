import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts, Server, serverFolder } from './server.js';

export interface PrometheusServer {
  readonly server: Server;
  readonly url: string;
  /**
   * An instant query: series with their labels and values. @throws Error if Prometheus rejects the expression
   */
  readonly query: (expression: string) => Promise<readonly PrometheusSeries[]>;
  /** Resolves when the expression returns a series; rejects after a minute. */
  readonly waitFor: (expression: string) => Promise<readonly PrometheusSeries[]>;
}

export interface PrometheusSeries {
  readonly metric: Readonly<Record<string, string>>;
  /** Seconds since 1970, and the value as text. */
  readonly value: readonly [number, string];
}

/**
 * Prometheus that scrapes `targets` (`127.0.0.1:8000`) at /metrics.
 *
 * @param intervalMs between two scrapes
 */
export async function startPrometheus(
  targets: readonly string[],
  intervalMs = 200,
): Promise<PrometheusServer> {
  const folder = await serverFolder('prometheus');
  const [port] = await freePorts(1);
  const file = join(folder, 'prometheus.yml');
  await writeFile(
    file,
    `global: { scrape_interval: ${intervalMs}ms, scrape_timeout: ${intervalMs}ms }
scrape_configs:
  - job_name: csiflow
    static_configs: [{ targets: ${JSON.stringify(targets)} }]
`,
  );
  const server = await new Server({
    name: 'Prometheus',
    folder,
    ports: [port!],
    command: [
      'prometheus',
      `--config.file=${file}`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
  }).start();
  const url = `http://127.0.0.1:${port}`;
  const query = async (expression: string) => {
    const response = await fetch(`${url}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query: expression }),
    });
    const answer = (await response.json()) as {
      readonly error?: string;
      readonly data?: { readonly result: readonly PrometheusSeries[] };
    };
    if (!answer.data) throw new Error(`${expression}: ${answer.error ?? response.status}`);
    return answer.data.result;
  };
  const waitFor = async (expression: string) => {
    for (let tries = 0; tries < 600; tries++) {
      const found = await query(expression);
      if (found.length > 0) return found;
      await delay(100);
    }
    throw new Error(`Prometheus has seen no ${expression} for a minute`);
  };
  return { server, url, query, waitFor };
}
