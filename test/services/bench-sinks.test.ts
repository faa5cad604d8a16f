import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { ownDatabase, usePostgres } from '../kit/drivers/postgresql.js';
import { INFLUX_USERS, startInflux } from '../support/servers/influx.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { startMosquitto } from '../support/servers/mosquitto.js';
import { startNats } from '../support/servers/nats.js';
import { startPostgres } from '../support/servers/postgres.js';

const ending: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

/** Each starts a server, and returns the sink that writes to it. */
const SERVERS: Readonly<Record<string, () => Promise<object>>> = {
  influxdb: async () => {
    const { server, url } = await startInflux();
    ending.push(() => server.stop());
    return { url, database: 'bench', username: 'admin', password: INFLUX_USERS.admin };
  },
  postgresql: async () => {
    const postgres = await startPostgres();
    ending.push(() => postgres.stop());
    usePostgres(postgres);
    return (await ownDatabase()).config;
  },
  nats: async () => {
    const { server, address } = await startNats();
    ending.push(() => server.stop());
    return { servers: [address], create_stream: true };
  },
  mqtt: async () => {
    const { server, url, password } = await startMosquitto({ durable: false });
    ending.push(() => server.stop());
    return { url, username: 'csiflow', password };
  },
  kafka: async () => {
    const cluster = await KafkaCluster.start();
    ending.push(() => cluster.stop());
    return { brokers: cluster.brokers, topic: await cluster.topic() };
  },
};

test.each(Object.keys(SERVERS))(
  '`csiflow bench sinks` measures %s against a real server',
  { timeout: 120_000 },
  async (type) => {
    const sink = JSON.stringify({ type, ...(await SERVERS[type]!()) });
    const { stdout } = await promisify(execFile)('node', [
      ...['dist/api/cli/csiflow.js', 'bench', 'sinks', '--sink', sink],
      ...['--rounds', '1', '--records', '512', '--json'],
    ]);
    const { speeds } = JSON.parse(stdout) as { speeds: { sink: string; recordsPerSecond: number[] }[] };
    expect(speeds.map((one) => one.sink)).toEqual([type]);
    expect(speeds[0]!.recordsPerSecond[0]).toBeGreaterThan(0);
  },
);
