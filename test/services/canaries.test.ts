import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { Canaries } from '../support/canaries.js';
import { Csiflow } from '../support/csiflow.js';
import { startInflux } from '../support/servers/influx.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { startMosquitto } from '../support/servers/mosquitto.js';

/** Real servers that reject csiflow's password. */
const canaries = new Canaries();
const folder = mkdtempSync(join(tmpdir(), 'csiflow-canaries-'));
const secrets = join(folder, 'secrets');
const open: (() => Promise<unknown>)[] = [];
const nodes: Record<string, string> = {};

beforeAll(async () => {
  open.push(async () => {
    rmSync(folder, { recursive: true });
  });
  mkdirSync(secrets);
  for (const name of ['influxdb', 'mqtt', 'kafka']) writeFileSync(join(secrets, name), canaries.plant(name));
  const influx = await startInflux();
  open.push(() => influx.server.stop());
  const mosquitto = await startMosquitto();
  open.push(() => mosquitto.server.stop());
  const kafka = await KafkaCluster.start({ login: { name: 'someone', password: 'the right one' } });
  open.push(() => kafka.stop());
  nodes['influxdb'] =
    `url: '${influx.url}', database: csi, username: writer, password: '\${secret:influxdb}'`;
  nodes['mqtt'] =
    `url: '${mosquitto.tlsUrl}', ca: '${mosquitto.ca}', username: csiflow, password: '\${secret:mqtt}'`;
  nodes['kafka'] =
    `brokers: ${JSON.stringify(kafka.secureBrokers)}, tls: { ca: '${kafka.ca}' }, sasl: { username: someone, password: '\${secret:kafka}' }`;
}, 120_000);

afterAll(async () => {
  for (const end of open.reverse()) await end();
}, 60_000);

const topology = (type: string): string => `id: site
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  flat: { type: simulator, rate_hz: 50, seed: 7 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: motion, path: ${join(folder, `${type}.duckdb`)} }
  refused: { type: ${type}, from: motion, ${nodes[type]!} }
settings: { state_folder: ${join(folder, `${type}.state`)} }
`;

test.each(['influxdb', 'mqtt', 'kafka'])(
  '%s: a rejected password is reported with the node and a fix, and never shown',
  async (type) => {
    const file = join(folder, `${type}.yaml`);
    writeFileSync(file, topology(type));
    const csiflow = new Csiflow(['run', file, '--port', '0', '--log', 'debug'], {
      env: { CSIFLOW_SECRETS: secrets },
    });
    try {
      // It is rejected at the start, or its records wait in the outbox and the node reports why.
      await csiflow.printed(/"problem":"refused|"node":"refused"[^\n]*"(error|problem|reason)":/);
      const running = /the topology is running/.test(csiflow.output);
      const shown = running ? await statusOf(csiflow) : '';
      await csiflow.interrupt();
      expect(shown + csiflow.output).toMatch(/password|credentials|login/i);
      expect(canaries.found(shown + csiflow.output)).toEqual([]);
    } finally {
      await csiflow.kill();
    }
  },
  60_000,
);

/** The service's report on the topology, once degraded, and its metrics. */
async function statusOf(csiflow: Csiflow): Promise<string> {
  const address = (await csiflow.printed(/live page +(http:\S+)\//))[1]!;
  const [, password] = await csiflow.printed(/admin \/ (\S+)/);
  const response = await fetch(`${address}/form-a/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const get = async (path: string): Promise<string> =>
    (await fetch(`${address}${path}`, { headers: { Authorization: `Bearer ${token}` } })).text();
  await expect.poll(() => get('/form-b/api/v1/topologies/site')).toContain('"status":"degraded"');
  const paths = ['/form-b/api/v1/topologies/site', '/form-b/api/v1/topologies/site/dead-letters', '/metrics'];
  return (await Promise.all(paths.map(get))).join('\n');
}
