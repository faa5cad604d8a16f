import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts, Server, serverFolder, servicesFolder } from './server.js';

const influxd = join(servicesFolder, 'influx2-2.7.12', 'influxd');

export interface Influx2Server {
  readonly server: Server;
  readonly url: string;
  /** Has all rights in the organisation `csiflow`. */
  readonly token: string;
  /** Creates a bucket, which version 1's paths see as a database of the same name. */
  readonly makeBucket: (name: string) => Promise<void>;
  /** Seconds for which a bucket keeps its points; 0 for ever. */
  readonly retentionOf: (bucket: string) => Promise<number>;
}

/** InfluxDB 2.7, built by `.ci/services.sh influx2`. */
export async function startInflux2(): Promise<Influx2Server> {
  if (!existsSync(influxd)) throw new Error(`there is no ${influxd}: run .ci/services.sh influx2`);
  const folder = await serverFolder('influx2');
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const server = await new Server({
    name: 'InfluxDB 2',
    folder,
    ports: [port!],
    command: [
      influxd,
      `--http-bind-address=127.0.0.1:${port}`,
      `--bolt-path=${folder}/bolt`,
      `--engine-path=${folder}/engine`,
      `--sqlite-path=${folder}/sqlite`,
      '--reporting-disabled',
      '--log-level=error',
    ],
  }).start();
  const token = 'test-token';
  const call = async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/api/v2/${path}`, {
      headers: { Authorization: `Token ${token}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  // The port accepts connections before all of it is ready.
  for (let tries = 0; (await fetch(`${url}/ready`)).status !== 200; tries++) {
    if (tries > 600) throw new Error('InfluxDB 2 is not ready after a minute');
    await delay(100);
  }
  const setup = (await call('setup', {
    username: 'admin',
    password: 'admin-pw-1',
    org: 'csiflow',
    bucket: 'csi',
    token,
  })) as { readonly org: { readonly id: string } };
  return {
    server,
    url,
    token,
    makeBucket: async (name) => {
      await call('buckets', { name, orgID: setup.org.id, retentionRules: [] });
    },
    retentionOf: async (bucket) => {
      const { buckets } = (await call(`buckets?name=${bucket}`)) as {
        readonly buckets: readonly {
          readonly retentionRules: readonly { readonly everySeconds: number }[];
        }[];
      };
      return buckets[0]!.retentionRules[0]?.everySeconds ?? 0;
    },
  };
}
